// Two skills with Python providers in the style of Wegent: two diagram tools, and four tools for files and commands.

import type { SkillFixture } from "./skill";

export const DIAGRAMS: SkillFixture = {
  name: "diagram-tools",
  frontmatter: `provider: { module: provider, class: DiagramToolProvider }
config: { types: [flowchart, pie] }
tools:
  - { name: render_diagram, provider: diagram }
  - { name: read_diagram_reference, provider: diagram }`,
  files: {
    "references/pie.md": "# Pie\n",
    "provider.py": `"""Provider of the diagram tools."""
import logging
from typing import Any, List, Optional
from chat_shell.skills import SkillToolContext, SkillToolProvider
from langchain_core.tools import BaseTool
logger = logging.getLogger(__name__)

class DiagramToolProvider(SkillToolProvider):
    @property
    def provider_name(self) -> str:
        return "diagram"

    @property
    def supported_tools(self) -> List[str]:
        return ["render_diagram", "read_diagram_reference"]

    def create_tool(self, tool_name: str, context: SkillToolContext, tool_config: Optional[dict[str, Any]] = None) -> BaseTool:
        config = tool_config or {}
        if tool_name == "render_diagram":
            from .render import RenderDiagramTool
            return RenderDiagramTool(task_id=context.task_id, ws_emitter=context.ws_emitter, types=config.get("types", []))
        if tool_name == "read_diagram_reference":
            from .reference import ReadReferenceTool
            return ReadReferenceTool()
        raise ValueError(f"Unknown tool: {tool_name}")
`,
    "render.py": `from __future__ import annotations
import json
from typing import Any, Optional
from langchain_core.callbacks import CallbackManagerForToolRun
from langchain_core.tools import BaseTool, ToolException
from pydantic import BaseModel, Field, PrivateAttr

class RenderInput(BaseModel):
    """What to draw."""
    code: str = Field(description="The diagram's code", min_length=1)
    title: Optional[str] = Field(default=None, description="A title")

class RenderDiagramTool(BaseTool):
    name: str = "render_diagram"
    description: str = "Checks a diagram and shows it."
    args_schema: type[BaseModel] = RenderInput
    task_id: str = ""
    ws_emitter: Any = None
    types: list[str] = []
    _seen: int = PrivateAttr(default=0)

    def _run(self, code: str, title: Optional[str] = None, run_manager: Optional[CallbackManagerForToolRun] = None) -> str:
        raise NotImplementedError("Use _arun")

    async def _arun(self, code: str, title: Optional[str] = None, run_manager: Optional[CallbackManagerForToolRun] = None) -> str:
        self._seen += 1
        kind = code.strip().split()[0]
        if kind not in self.types:
            raise ToolException(f"{kind} is none of {', '.join(self.types)}")
        await self.ws_emitter.emit_tool_call(task_id=self.task_id, title=title)
        return json.dumps({"success": True, "type": kind, "title": title, "seen": self._seen})
`,
    "reference.py": `from enum import Enum
from typing import Literal
from pathlib import Path
from langchain_core.tools import BaseTool
from pydantic import BaseModel, Field

class Depth(Enum):
    short = "short"
    full = "full"

class Options(BaseModel):
    depth: Depth = Depth.short

class ReferenceInput(BaseModel):
    reference: Literal["pie", "flowchart"] = Field(..., description="Which")
    options: Options = Field(default_factory=Options)
    lines: list[int] | None = None

class ReadReferenceTool(BaseTool):
    name: str = "read_diagram_reference"
    description: str = "Reads a reference."
    args_schema: type = ReferenceInput
    def _run(self, reference: str, options: Options, lines=None) -> dict:
        text = (Path(__file__).parent / "references" / f"{reference}.md").read_text()
        return {"text": text, "depth": options.depth.name, "lines": lines}
`,
  },
};

/** @param seconds time limit of a call */
export const filesSkill = (seconds = 30): SkillFixture => ({
  name: "file-tools",
  frontmatter: `provider: { module: provider.py, class: FileToolProvider }
config: { timeout: ${seconds} }
tools: [{ name: exec }, { name: list_files }, { name: read_file }, { name: write_file }, { name: upload_attachment },
  { name: download_attachment }, { name: sub_agent }, { name: round_trip }]`,
  files: {
    "scripts/hello.sh": 'echo "hello $1 from shell"\n',
    "scripts/hello.py": "import sys\nprint('hello', sys.argv[1], 'from Python')\n",
    "provider.py": `from chat_shell.skills import SkillToolProvider
from chat_shell.tools.sandbox import SandboxManager
from langchain_core.tools import BaseTool, ToolException
from pydantic import BaseModel, Field, ConfigDict
import json

class Base(BaseTool):
    model_config = ConfigDict(arbitrary_types_allowed=True)
    async def sandbox(self):
        made, error = await SandboxManager.get_instance().get_or_create_sandbox(shell_type="Chat")
        assert error is None
        return made

class ExecInput(BaseModel):
    command: str = Field(description="The command")
    working_dir: str = "/workspace"
    envs: dict[str, str] = {}
    timeout: int = 20
class Exec(Base):
    name: str = "exec"
    description: str = "Runs a command."
    args_schema: type[BaseModel] = ExecInput
    async def _arun(self, command, working_dir="/workspace", envs=None, timeout=20, **_):
        done = await (await self.sandbox()).commands.run(cmd=command, cwd=working_dir, envs=envs, timeout=timeout)
        return json.dumps({"exit_code": done.exit_code, "stdout": done.stdout, "stderr": done.stderr})

class PathInput(BaseModel):
    path: str
class WriteInput(PathInput):
    content: str
class List(Base):
    name: str = "list_files"
    description: str = "Lists files."
    args_schema: type[BaseModel] = PathInput
    async def _arun(self, path, **_):
        return [{"name": e.name, "type": e.type, "size": e.size} for e in await (await self.sandbox()).files.list(path)]
class Read(Base):
    name: str = "read_file"
    description: str = "Reads a file."
    args_schema: type[BaseModel] = PathInput
    async def _arun(self, path, **_):
        files = (await self.sandbox()).files
        info = await files.get_info(path)
        return {"size": info.size, "text": await files.read(path)}
class Write(Base):
    name: str = "write_file"
    description: str = "Writes a file."
    args_schema: type[BaseModel] = WriteInput
    async def _arun(self, path, content, **_):
        files = (await self.sandbox()).files
        await files.make_dir("/workspace/deep")
        return {"written": (await files.write(path, content)).size, "read": await files.read(path)}

class DownloadInput(BaseModel):
    attachment_url: str
class Download(Base):
    name: str = "download_attachment"
    description: str = "Downloads an attachment into the sandbox."
    args_schema: type[BaseModel] = DownloadInput
    async def _arun(self, attachment_url, **_):
        done = await (await self.sandbox()).commands.run(f"curl -fsS -o /workspace/file '{attachment_url}'")
        if done.exit_code != 0:
            raise ToolException(f"The download failed: {done.stderr.strip()}")
class AgentInput(BaseModel):
    prompt: str
class Agent(Base):
    name: str = "sub_agent"
    description: str = "Gives a task to another agent."
    args_schema: type[BaseModel] = AgentInput
    async def _arun(self, prompt, **_):
        done = await (await self.sandbox()).commands.run(f"claude -p '{prompt}'", timeout=60)
        return {"exit_code": done.exit_code, "error": done.stderr.strip()}

class NoInput(BaseModel):
    pass
class RoundTrip(Base):
    name: str = "round_trip"
    description: str = "Writes, runs, and reads."
    args_schema: type[BaseModel] = NoInput
    async def _arun(self, **_):
        sandbox = await self.sandbox()
        await sandbox.files.write("in.txt", "from Python\\n")
        await sandbox.files.write("gone.txt", "")
        await sandbox.files.remove("/skill/scripts/hello.sh")
        seen = await sandbox.commands.run("cat in.txt; rm gone.txt; mkdir made; tr a-z A-Z < in.txt > made/out.txt; ls /skill/scripts/*.sh")
        return {
            "seen": seen.stdout,
            "read": await sandbox.files.read("/home/user/made/out.txt"),
            "gone": await sandbox.files.exists("gone.txt"),
            "removed": seen.exit_code != 0,
            "names": sorted(e.path.removeprefix("/workspace/") for e in await sandbox.files.list("/workspace", depth=2)),
        }

class FileToolProvider(SkillToolProvider):
    provider_name = "files"
    supported_tools = ["exec", "list_files", "read_file", "write_file", "upload_attachment", "download_attachment", "sub_agent", "round_trip"]
    def create_tool(self, tool_name, context, tool_config=None):
        if tool_name == "upload_attachment":
            import httpx
        return {"exec": Exec, "list_files": List, "read_file": Read, "write_file": Write,
                "download_attachment": Download, "sub_agent": Agent, "round_trip": RoundTrip}[tool_name]()
`,
  },
});
