from string import Template
import textwrap, html
print(Template("Dear $name, you owe $$${sum}.").safe_substitute(name="Ada", sum="5"))
print(textwrap.fill("a word " * 12, width=30, initial_indent="* ", subsequent_indent="  "))
print(html.escape("<a href='x'>&</a>"), textwrap.dedent("    x\n      y"))
