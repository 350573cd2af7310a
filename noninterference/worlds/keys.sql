-- Two keys, a uuid and an integer. Loaded into both twins; src/world/fill.rs then fills each.
CREATE SCHEMA app;
CREATE SCHEMA pub;

CREATE SEQUENCE app.doc_no;                               -- counts everybody's, and stands elsewhere in each twin
CREATE TABLE app.docs (
  id int NOT NULL, org_id uuid NOT NULL DEFAULT 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  title text DEFAULT 'default ' || nextval('app.doc_no'), size int, secret text, PRIMARY KEY (org_id, id));
CREATE TABLE app.revisions (                              -- incomplete: from `title` on, no column is in the policy
  id int NOT NULL, org_id uuid NOT NULL, doc_id int, body text, title text, size int, val numeric(12,2), label text,
  PRIMARY KEY (org_id, id), FOREIGN KEY (org_id, doc_id) REFERENCES app.docs ON DELETE SET NULL (doc_id));
CREATE TABLE app.meters (
  id int NOT NULL, account_id int NOT NULL, label text, val numeric(12,2), pin text, PRIMARY KEY (account_id, id));
CREATE TABLE app.readings (
  id int NOT NULL, account_id bigint NOT NULL, meter_id int, val numeric(12,2), at date, PRIMARY KEY (account_id, id));
CREATE TABLE app.tasks (
  id int NOT NULL, org_id uuid NOT NULL, account_id bigint NOT NULL, title text, effort int,
  PRIMARY KEY (org_id, account_id, id));
CREATE TABLE app.comments (
  id int NOT NULL, org_id uuid NOT NULL, account_id int NOT NULL, task_id int, body text, draft text,
  PRIMARY KEY (org_id, account_id, id));
CREATE TABLE app.rates (                                  -- shared; its columns hold the tenants' values in other types
  id int PRIMARY KEY, code text, ratio real, amount numeric(20,2), org text, account float8);
