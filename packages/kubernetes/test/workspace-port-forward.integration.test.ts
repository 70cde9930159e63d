import { describeWorkspaceOver } from './contract/describe-workspace-over.ts';

describeWorkspaceOver('port-forward');
