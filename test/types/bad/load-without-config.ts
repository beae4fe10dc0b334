import { definePlugin } from 'patchbay-sdk';
import { createTestHost } from 'patchbay-sdk/testing';
import { z } from 'patchbay-sdk/zod';

const configured = definePlugin({ name: 'configured', version: '1.0.0', config: z.object({ channel: z.string() }) });

createTestHost().load(configured); // wrong: Expected 2 arguments
