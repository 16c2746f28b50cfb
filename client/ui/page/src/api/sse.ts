/** One event of a `text/event-stream`. */
export interface StreamEvent {
  event: string;
  data: string;
  id: string;
}

/** Splits the text of an event stream into events; pieces may end anywhere. */
export class StreamParser {
  private rest = "";
  private event = "";
  private data: string[] = [];
  private id = "";

  /** Takes the next piece of text and returns the events that it completes. */
  feed(piece: string): StreamEvent[] {
    const lines = (this.rest + piece).split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop() ?? "";
    const events: StreamEvent[] = [];
    for (const line of lines) {
      const done = this.take(line);
      if (done) events.push(done);
    }
    return events;
  }

  private take(line: string): StreamEvent | null {
    if (line === "") return this.end();
    if (line.startsWith(":")) return null;
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.event = value;
    else if (field === "data") this.data.push(value);
    else if (field === "id") this.id = value;
    return null;
  }

  private end(): StreamEvent | null {
    const done = this.data.length === 0 ? null : { event: this.event || "message", data: this.data.join("\n"), id: this.id };
    this.event = "";
    this.data = [];
    return done;
  }
}
