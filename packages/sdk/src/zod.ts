/** Zod, for the configuration of plugins that do not bring a schema library of their own. */
export { z } from 'zod';
