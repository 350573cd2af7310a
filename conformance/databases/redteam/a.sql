-- Twin a.
SET search_path = app, pub, pg_temp;
INSERT INTO app.codes VALUES (1,'FORBIDDEN-a');
INSERT INTO app.api_keys VALUES (1,'acme','HASH-a');
INSERT INTO tenants VALUES ('globex','Globex'),('ACME','Upper'),('acme ','Space'),('10','Ten'),('a','A');
INSERT INTO customers VALUES (1,'globex','Gina','acme','g@x','999'),(7,'globex','Hank','EU','h@x','998'),(1,'ACME','Ulla','EU','u@x','997');
INSERT INTO orders VALUES (201,'globex',1,'paid',9000,'g201'),(202,'globex',3,'acme',15,'g202'),(203,'ACME',1,'paid',35,'u203'),(204,'acme ',1,'paid',45,'s204'),(205,'10',1,'paid',55,'t205'),(206,'a',1,'paid',65,'a206');
INSERT INTO items VALUES (11,'globex',101,100),(12,'acme ',102,200),(13,'ACME',102,300);
INSERT INTO docs VALUES ('acme','globex','SECRET');
INSERT INTO events SELECT g, 'globex', g, g FROM generate_series(1000, 60000) g;
INSERT INTO notes VALUES (11,'globex','g',1);
INSERT INTO files(id,tenant_id,order_id,path) VALUES (11,'globex',101,'/g');
SELECT setval('app.files_id_seq', 40);
INSERT INTO meters VALUES (11,16777216,500),(12,7,700);
INSERT INTO big VALUES (11,9007199254740992,500);
ANALYZE;
