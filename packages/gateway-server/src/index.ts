export { gatewayBundle, type GatewayBundle } from './bundle/gateway-bundle.ts';
