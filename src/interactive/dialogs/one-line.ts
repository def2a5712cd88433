import { contentOf, createEditor, type EditorState } from "../../tui/editor/editor-state.ts";
import { viewEditor } from "../../tui/editor/editor-view.ts";
import { updateEditor } from "../../tui/editor/update-editor.ts";
import type { KeyEvent } from "../../tui/keys/input-event.ts";
import { type Line, span } from "../../tui/style/styled-line.ts";
import type { Theme } from "../../tui/style/theme.ts";
import { cellWidth } from "../../tui/text/graphemes.ts";
import { editOfKey } from "../input/edit-keys.ts";
import type { KeyMap } from "../keys/key-map.ts";

/** A line a person writes in a dialog: a name, a rule, a path. */
export class OneLine {
  private editor: EditorState;

  constructor(
    private readonly label: string,
    text: string,
  ) {
    this.editor = updateEditor(createEditor({ limits: { pasteCharacters: 100_000 } }), { type: "replace", text });
  }

  get text(): string {
    return contentOf(this.editor);
  }

  onKey({ chord, text }: KeyEvent, keys: KeyMap): void {
    const edit = editOfKey(chord, keys);
    if (edit !== undefined && !(edit.type === "insert" && edit.text === "\n"))
      this.editor = updateEditor(this.editor, edit);
    else if (edit === undefined && text !== undefined && !/\p{Cc}/u.test(text))
      this.editor = updateEditor(this.editor, { type: "insert", text });
  }

  paste(text: string): void {
    this.editor = updateEditor(this.editor, { type: "insert", text: text.trim().replace(/\s*\n\s*/g, " ") });
  }

  /** One row, the part of the text around the cursor; `column` is the cursor's. */
  view(width: number, theme: Theme): { lines: Line[]; column: number } {
    const label = `${this.label}: `;
    const room = Math.max(2, width - cellWidth(label));
    const shown = viewEditor(this.editor, { width: room, maximumRows: 1, markerStyle: theme.styles.accent });
    const row: Line = [span(label, theme.styles.muted), ...(shown.rows[0] ?? [])];
    return { lines: [row], column: Math.min(Math.max(0, width - 1), cellWidth(label) + shown.cursor.column) };
  }
}
