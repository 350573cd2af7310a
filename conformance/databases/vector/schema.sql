-- pgvector, in a schema of its own that is the second of search_path. Tenants: acme is the caller. No approximate index: it
-- lets the neighbours' rows decide which of acme's come back (docs/profiles.md).
CREATE SCHEMA extensions;
GRANT USAGE ON SCHEMA extensions TO PUBLIC;
CREATE EXTENSION vector SCHEMA extensions;
CREATE SCHEMA app;
CREATE TABLE app.documents (id int NOT NULL, tenant_id text NOT NULL, title text, embedding extensions.vector(3), body text, PRIMARY KEY (tenant_id, id));
CREATE TABLE app.chunks (id int NOT NULL, tenant_id text NOT NULL, document_id int, content text, embedding extensions.halfvec(3), PRIMARY KEY (tenant_id, id));
CREATE TABLE app.topics (id int PRIMARY KEY, name text, embedding extensions.vector(3));
INSERT INTO app.documents (id, tenant_id, title, embedding) VALUES
  (1, 'acme', 'anvils', '[1,2,3]'), (2, 'acme', 'rockets', '[3,2,1]'), (3, 'acme', 'skates', '[9,9,9]'), (4, 'acme', 'none', NULL), (5, 'acme', 'anvil care', '[1,2,2.5]');
INSERT INTO app.chunks VALUES (1, 'acme', 1, 'heavy anvils', '[1,2,3]'), (2, 'acme', 1, 'light anvils', '[1,1,1]'), (3, 'acme', 2, 'rockets fly', '[3,2,0]');
INSERT INTO app.topics VALUES (1, 'heavy', '[1,2,3]'), (2, 'fast', '[3,2,1]');
