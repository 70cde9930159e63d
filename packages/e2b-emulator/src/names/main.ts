import { installLocalhostNames } from './resolve-localhost.ts';

installLocalhostNames();
