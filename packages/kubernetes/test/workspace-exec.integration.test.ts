import { describeWorkspaceOver } from './contract/describe-workspace-over.ts';

describeWorkspaceOver('exec');
