CREATE TABLE `prediction_counts` (
	`ghost_id` text NOT NULL,
	`day` integer NOT NULL,
	`messages` integer NOT NULL,
	`predicted` integer NOT NULL,
	`appended` integer NOT NULL,
	`needed` integer NOT NULL,
	`hits` integer NOT NULL,
	`saved` integer NOT NULL,
	`lost` integer NOT NULL,
	`saved_ms` integer NOT NULL,
	PRIMARY KEY(`ghost_id`, `day`),
	FOREIGN KEY (`ghost_id`) REFERENCES `ghosts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `prediction_counts_day` ON `prediction_counts` (`day`);