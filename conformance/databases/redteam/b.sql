-- Twin b.
SET search_path = app, pub, pg_temp;
INSERT INTO app.codes VALUES (1,'FORBIDDEN-b');
INSERT INTO app.api_keys VALUES (1,'acme','HASH-b');
INSERT INTO tenants VALUES ('initech','Initech');
INSERT INTO customers VALUES (1,'initech','Peter','US','p@x','777');
INSERT INTO orders VALUES (301,'initech',2,'new',1,'i301');
INSERT INTO items VALUES (21,'initech',103,7);
INSERT INTO meters VALUES (21,8,800);
UPDATE customers SET email='zzz', ssn='000' WHERE tenant_id='acme';
UPDATE notes SET margin = id WHERE tenant_id='acme';
UPDATE people SET ssn='999-99-9999';
ANALYZE;
