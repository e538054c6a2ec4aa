ALTER TABLE `mcp_servers` ADD `down_since` integer;--> statement-breakpoint
ALTER TABLE `own_servers` ADD `down_since` integer;