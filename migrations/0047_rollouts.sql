CREATE TABLE `rollouts` (
	`skill_id` text PRIMARY KEY NOT NULL,
	`scope` text NOT NULL,
	`candidate_id` text NOT NULL,
	`former_id` text NOT NULL,
	`percent` integer,
	`started_at` integer NOT NULL,
	`looks` integer DEFAULT 0 NOT NULL,
	`failing_at` integer,
	`found` text,
	FOREIGN KEY (`skill_id`) REFERENCES `skills`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `rollouts_scope` ON `rollouts` (`scope`) WHERE percent IS NOT NULL;--> statement-breakpoint
CREATE INDEX `rollouts_started` ON `rollouts` (`started_at`) WHERE failing_at IS NULL;--> statement-breakpoint
CREATE INDEX `rollouts_failing` ON `rollouts` (`scope`,`failing_at`) WHERE failing_at IS NOT NULL;
--> statement-breakpoint
CREATE TRIGGER `skills_current_changed` AFTER UPDATE OF `version_id` ON `skills` WHEN NEW.`version_id` <> OLD.`version_id` BEGIN
  DELETE FROM `rollouts` WHERE `skill_id` = NEW.`id` AND (NEW.`version_id` = '' OR OLD.`version_id` = '');
  INSERT INTO `rollouts` (`skill_id`, `scope`, `candidate_id`, `former_id`, `percent`, `started_at`, `looks`)
    SELECT NEW.`id`, NEW.`scope`, NEW.`version_id`, OLD.`version_id`, NULL, cast(unixepoch('subsec') * 1000 as integer), 0
    WHERE NEW.`version_id` <> '' AND OLD.`version_id` <> ''
    ON CONFLICT (`skill_id`) DO UPDATE SET
      `started_at` = CASE WHEN `candidate_id` = excluded.`candidate_id` THEN `started_at` ELSE excluded.`started_at` END,
      `looks` = CASE WHEN `candidate_id` = excluded.`candidate_id` THEN `looks` ELSE 0 END,
      `failing_at` = CASE WHEN `candidate_id` = excluded.`candidate_id` THEN `failing_at` ELSE NULL END,
      `found` = CASE WHEN `candidate_id` = excluded.`candidate_id` THEN `found` ELSE NULL END,
      `candidate_id` = excluded.`candidate_id`, `former_id` = excluded.`former_id`, `percent` = NULL;
END;--> statement-breakpoint
CREATE TRIGGER `versions_yanked` AFTER UPDATE OF `yanked_at` ON `versions` WHEN NEW.`yanked_at` IS NOT NULL BEGIN
  DELETE FROM `rollouts` WHERE `skill_id` = NEW.`skill_id` AND `candidate_id` = NEW.`id`;
END;
