CREATE INDEX `group_members_maker` ON `group_members` (`created_by`);--> statement-breakpoint
CREATE INDEX `groups_maker` ON `groups` (`created_by`);--> statement-breakpoint
CREATE INDEX `mcp_servers_maker` ON `mcp_servers` (`created_by`);--> statement-breakpoint
CREATE INDEX `secrets_maker` ON `secrets` (`created_by`);--> statement-breakpoint
CREATE INDEX `ghosts_user` ON `ghosts` (`user_id`);--> statement-breakpoint
CREATE INDEX `keys_maker` ON `keys` (`created_by`);--> statement-breakpoint
CREATE INDEX `skills_user` ON `skills` (`user_id`);--> statement-breakpoint
CREATE INDEX `versions_maker` ON `versions` (`created_by`);