/** A text of at most so many characters and a note about the rest. */
export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length - most} more characters)`;
}

/** The same with the end kept too, where programs say what went wrong. */
export function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  return `${text.slice(0, half)}\n… (${text.length - 2 * half} characters left out)\n${text.slice(-half)}`;
}
