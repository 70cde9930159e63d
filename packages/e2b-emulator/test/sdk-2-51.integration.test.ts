import { describeSdk } from './support/describe-sdk.ts';

describeSdk('2.51.0');
