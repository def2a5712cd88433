import type { LoopNews } from "../../../loop/loop-news.ts";
import { printableJson } from "../../printable.ts";

/** Every event as a line of JSON: the entries of the journal as they are, and what the agent printed between them. */
export function createJsonFace(write: (text: string) => void): (news: LoopNews) => void {
  return (news) => {
    if (news.type === "entry") write(printableJson(news.entry));
    else
      for (const event of news.events) write(printableJson({ type: "transcript", iteration: news.iteration, event }));
  };
}
