"""Base classes of a tool provider, as in Wegent."""

from abc import ABC, abstractmethod


class SkillToolProvider(ABC):
    @property
    @abstractmethod
    def provider_name(self): ...

    @property
    @abstractmethod
    def supported_tools(self): ...

    @abstractmethod
    def create_tool(self, tool_name, context, tool_config=None): ...

    def validate_config(self, tool_config):
        return True


class SkillToolContext:
    """Ids are strings. The database and the token of Wegent's back end are not available."""

    def __init__(self, given, config, emitter):
        self.task_id, self.subtask_id = given.get("taskId", ""), given.get("subtaskId", 0)
        self.user_id, self.user_name = given.get("userId", ""), given.get("userName", "")
        self.skill_config, self.ws_emitter = config, emitter
        self.db_session = self.auth_token = self.skill_identity_token = self.load_skill_tool = None

    def get_config(self, key, default=None):
        return self.skill_config.get(key, default)
