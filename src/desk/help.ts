import { topics, topicText } from "../commands/help-completion.ts";
import { PaydropError } from "../errors.ts";
import { markup, nothing, type Html } from "../pages/html.ts";
import { over } from "../pages/parts.ts";
import { plain, type Pages } from "./pages.ts";

/** The topics of `paydrop help`. */
export function helpPages(pages: Pages): void {
  pages.page("/help", (asked) => {
    const items = topics().map(({ heading, topics: all }) => {
      const links = all.map(({ name, title }) => markup`<li><a href="/help/${name}">${title}</a></li>`);
      return markup`${over(heading)}<ul class="card list">${links}</ul>`;
    });
    return pages.framed(asked, { title: "Help", at: "/help", content: markup`${items}` });
  });

  pages.page("/help/:topic", async (asked) => {
    try {
      const [title = "", ...blocks] = (await topicText(asked.c.req.param("topic") ?? "")).split(/\n{2,}/);
      const content = markup`<div class="card in prose">${blocks.map(blockOf)}</div>`;
      const crumb = markup`<a href="/help">Help</a>`;
      return await pages.framed(asked, { title: title.replace(/^# /, ""), at: "/help", crumb, content });
    } catch (error) {
      if (error instanceof PaydropError) return plain(asked.c, 404, "no_page");
      throw error;
    }
  });
}

/** As much Markdown as the topics have. */
function blockOf(block: string): Html {
  const lines = block.split("\n");
  const [first = ""] = lines;
  const heading = /^##+ (.*)/.exec(first)?.[1];
  if (heading !== undefined)
    return markup`<h2>${inline(heading)}</h2>${lines.length > 1 && blockOf(lines.slice(1).join("\n"))}`;
  if (/^(?: {2,}|```)/.test(first))
    return markup`<pre><code>${lines.map((line) => `${line.replace(/^```\w*$/, "")}\n`)}</code></pre>`;
  if (first.startsWith("|")) return tableIn(lines);
  if (/^(?:[-*]|\d+\.) /.test(first)) {
    const items = block
      .split(/\n(?=(?:[-*]|\d+\.) )/)
      .map((item) => markup`<li>${inline(item.replace(/^\S+ /, ""))}</li>`);
    return /^\d/.test(first) ? markup`<ol start="${Number.parseInt(first)}">${items}</ol>` : markup`<ul>${items}</ul>`;
  }
  return block.trim() === "" ? nothing : markup`<p>${inline(block)}</p>`;
}

function cellsOf(line: string): string[] {
  const cells = line.split(/(?<!\\)\|/).slice(1, -1);
  return cells.map((cell) => cell.trim());
}

function tableIn(lines: readonly string[]): Html {
  const [head = [], , ...body] = lines.map(cellsOf);
  const rows = body.map(
    (cells) =>
      markup`<tr>${cells.map((cell, at) => markup`<td data-title="${head[at] ?? ""}">${inline(cell)}</td>`)}</tr>`,
  );
  return markup`<table><thead><tr>${head.map((cell) => markup`<th scope="col">${inline(cell)}</th>`)}</tr></thead><tbody>${rows}</tbody></table>`;
}

/** `code` and **bold**. */
function inline(text: string): readonly Html[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (part.startsWith("`") && part.length > 2) return markup`<code>${part.slice(1, -1)}</code>`;
    if (part.startsWith("**") && part.length > 4) return markup`<strong>${part.slice(2, -2)}</strong>`;
    return markup`${part.replaceAll("\n", " ")}`;
  });
}
