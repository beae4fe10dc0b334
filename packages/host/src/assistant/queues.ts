const chatPrefix = 'chat of ';
const channelPrefix = 'channel ';

/** Under which name the messages of a workspace are owed. No plugin can be called so. */
export function chatQueue(folder: string): string {
  return chatPrefix + folder;
}

/** The workspace whose messages are owed under a name; undefined if it is no such name. */
export function folderOf(queue: string): string | undefined {
  return queue.startsWith(chatPrefix) ? queue.slice(chatPrefix.length) : undefined;
}

/** Under which name it is owed what a channel is to send. */
export function channelQueue(channel: string): string {
  return channelPrefix + channel;
}

/** The channel that is owed something under a name; undefined if it is no such name. */
export function channelOf(queue: string): string | undefined {
  return queue.startsWith(channelPrefix) ? queue.slice(channelPrefix.length) : undefined;
}
