import { describeWorkspaceOver } from './contract/describe-workspace-over.ts';

describeWorkspaceOver('pod-ip');
