from html.parser import HTMLParser
import sys, urllib.parse
class Links(HTMLParser):
    def handle_starttag(self, tag, attrs):
        if tag == "a": print(urllib.parse.urljoin("https://example.org/a/", dict(attrs).get("href", "")))
Links().feed(sys.stdin.read())
