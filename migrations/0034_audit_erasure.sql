-- By hand, since drizzle-kit knows no triggers. An entry of the audit log is changed in one case: its user, or the user whose thing it
-- names, was erased, so that the pseudonym stands for nobody. Its number, time, actor, key, action and type of resource stay.
DROP TRIGGER `audit_no_update`;--> statement-breakpoint
CREATE TRIGGER `audit_no_update` BEFORE UPDATE ON `audit`
WHEN NEW.`seq` IS NOT OLD.`seq` OR NEW.`at` IS NOT OLD.`at` OR NEW.`actor` IS NOT OLD.`actor` OR NEW.`key_id` IS NOT OLD.`key_id`
  OR NEW.`action` IS NOT OLD.`action` OR NEW.`resource_type` IS NOT OLD.`resource_type`
  OR (EXISTS (SELECT 1 FROM `pseudonyms` WHERE `pseudonym` = OLD.`actor`)
    AND (coalesce(json_extract(OLD.`before`, '$.user_id'), json_extract(OLD.`after`, '$.user_id')) IS NULL
      OR EXISTS (SELECT 1 FROM `pseudonyms`
        WHERE `pseudonym` = coalesce(json_extract(OLD.`before`, '$.user_id'), json_extract(OLD.`after`, '$.user_id')))))
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;--> statement-breakpoint
-- What is left of users who were erased by an earlier gateway.
UPDATE `audit` SET `before` = NULL, `after` = NULL,
  `request_id` = CASE WHEN length(`request_id`) = 36 AND `request_id` NOT GLOB '*[^0-9a-f-]*' THEN `request_id` ELSE 'erased' END,
  `resource_id` = CASE WHEN `resource_type` = 'conversation'
    OR (`resource_type` IN ('model', 'own_server', 'secret') AND `resource_id` LIKE 'user/%') THEN 'erased' ELSE `resource_id` END
WHERE `actor` NOT IN (SELECT `pseudonym` FROM `pseudonyms`);
