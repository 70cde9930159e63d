import { describeSdk } from './support/describe-sdk.ts';

describeSdk('2.45.0');
