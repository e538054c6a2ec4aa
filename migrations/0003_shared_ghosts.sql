DROP INDEX `ghosts_owner_folded`;--> statement-breakpoint
DROP INDEX `ghosts_owner_name`;--> statement-breakpoint
ALTER TABLE `ghosts` ADD `shared` text;--> statement-breakpoint
ALTER TABLE `ghosts` ADD `scope` text GENERATED ALWAYS AS (coalesce(shared, 'user:' || user_id)) VIRTUAL NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `ghosts_scope_folded` ON `ghosts` (`scope`,`namespace`,`folded`);--> statement-breakpoint
CREATE INDEX `ghosts_scope_name` ON `ghosts` (`scope`,`name`);