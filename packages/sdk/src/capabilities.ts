// What plugins can provide: to a turn, to the assistant, and towards the outside.
export * from './capabilities/assistant.ts';
export * from './capabilities/outside.ts';
export * from './capabilities/turn.ts';
