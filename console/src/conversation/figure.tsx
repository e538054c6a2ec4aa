// Shows a rendered diagram with its source code.

import type { ReactNode } from "react";
import { Plain, visible } from "../parts/text";
import { type Drawing, pictureOf } from "./drawing";

export function Figure({ drawing: { title, code, svg, width, height } }: { drawing: Drawing }): ReactNode {
  return (
    <figure className="drawing">
      {/* The size is set in advance, so that the content below does not move. */}
      <img src={pictureOf(svg)} width={width} height={height} alt={visible(title)} />
      <figcaption>
        <details>
          <summary>
            <Plain>{title}</Plain>
          </summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard */}
          <pre tabIndex={0}>{visible(code)}</pre>
        </details>
      </figcaption>
    </figure>
  );
}
