// Lists the Python modules that are available in the gateway.

/** The standard library, as far as it can be imported. */
const STANDARD = new Set(
  `__future__ abc annotationlib antigravity argparse array ast asyncio atexit base64 bdb binascii bisect builtins bz2 cProfile calendar
cmath cmd code codecs codeop collections colorsys compileall compression concurrent configparser contextlib contextvars copy copyreg csv
dataclasses datetime decimal difflib dis doctest email encodings enum errno faulthandler fcntl filecmp fileinput fnmatch fractions ftplib
functools gc genericpath getopt getpass gettext glob graphlib gzip hashlib heapq hmac html http imaplib importlib inspect io ipaddress
itertools json keyword linecache locale logging lzma mailbox marshal math mimetypes mmap modulefinder multiprocessing netrc ntpath
nturl2path numbers opcode operator optparse os pathlib pdb pickle pickletools pkgutil platform plistlib poplib posix posixpath pprint
profile pstats pty py_compile pyclbr pydoc pyexpat queue quopri random re reprlib rlcompleter runpy sched secrets select selectors shelve
shlex shutil signal site smtplib socket socketserver sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep
struct subprocess symtable sys sysconfig tabnanny tarfile tempfile termios textwrap this threading time timeit token tokenize tomllib
trace traceback tracemalloc tty types typing unicodedata unittest urllib uuid warnings wave weakref webbrowser xml xmlrpc zipapp zipfile
zipimport zlib zoneinfo`.split(/\s+/),
);
/** Standard modules that are only available outside the gateway. */
const ELSEWHERE = new Set(
  `ctypes curses dbm ensurepip grp idlelib pwd pydoc_data readline resource syslog tkinter turtle turtledemo venv wsgiref`.split(
    " ",
  ),
);
/** Modules that exist only on Windows, or that were removed from Python. */
const NO_MORE = new Set(
  `asynchat asyncore audioop cgi cgitb chunk crypt distutils imghdr imp lib2to3 mailcap msilib msvcrt nis nntplib nt ossaudiodev pipes
sndhdr spwd sunau telnetlib uu winreg winsound xdrlib`.split(/\s+/),
);
/** Modules of the gateway that providers import. */
const OWN = new Set(["chat_shell", "langchain_core", "pydantic"]);

/** Modules that can be imported, but whose functions fail when called. */
const HOLLOW: [RegExp, string][] = [
  [
    /^(?:urllib\.request|http\.(?:client|server)|socket|socketserver|ssl|smtplib|ftplib|imaplib|poplib|xmlrpc|webbrowser)(?:\.|$)/,
    "there is no network",
  ],
  [/^(?:subprocess|multiprocessing|pty)(?:\.|$)/, "no process can be started"],
  [/^(?:threading|concurrent\.futures)(?:\.|$)/, "no thread can be started"],
];

/** Returns whether a module is available. If only its name exists, returns the missing capability. */
export function knownModule(module: string): "there" | "elsewhere" | "no more" | "unknown" | { lacks: string } {
  const hollow = HOLLOW.find(([names]) => names.test(module));
  if (hollow !== undefined) return { lacks: hollow[1] };
  const [head = ""] = module.split(".", 1);
  if (STANDARD.has(head) || OWN.has(head)) return "there";
  if (ELSEWHERE.has(head)) return "elsewhere";
  return NO_MORE.has(head) ? "no more" : "unknown";
}
