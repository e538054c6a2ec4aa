CREATE TABLE `server_checks` (
	`server` text NOT NULL,
	`at` integer NOT NULL,
	`url` text NOT NULL,
	`ms` integer NOT NULL,
	`problem` text,
	PRIMARY KEY(`server`, `at`, `url`),
	FOREIGN KEY (`server`) REFERENCES `mcp_servers`(`name`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `server_checks_at` ON `server_checks` (`at`);--> statement-breakpoint
CREATE TABLE `server_skills` (
	`skill_id` text PRIMARY KEY NOT NULL,
	`server` text NOT NULL,
	`uri` text NOT NULL,
	`state` text NOT NULL,
	`checked_at` integer NOT NULL,
	FOREIGN KEY (`skill_id`) REFERENCES `skills`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `server_skills_server` ON `server_skills` (`server`);--> statement-breakpoint
CREATE INDEX `version_sources_server` ON `version_sources` (json_extract("source", '$.server')) WHERE json_extract("source", '$.type') = 'mcp';
