import { describeBackendOver } from './contract/describe-backend-over.ts';

describeBackendOver('pod-ip');
