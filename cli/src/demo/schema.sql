-- The demo's database: a small shop that many companies use. Every company is a tenant.
CREATE SCHEMA app;

CREATE TABLE app.tenants (
    id   text PRIMARY KEY,
    name text NOT NULL
);

-- Numbers of customers and orders start anew in every tenant, as they do in most real schemas.
CREATE TABLE app.customers (
    tenant_id  text NOT NULL REFERENCES app.tenants,
    id         integer NOT NULL,
    name       text NOT NULL,
    region     text NOT NULL,
    created_at date NOT NULL,
    email      text NOT NULL,  -- hidden by the policy
    ssn        text,           -- hidden by the policy
    PRIMARY KEY (tenant_id, id)
);

-- One catalogue for all.
CREATE TABLE app.products (
    id       integer PRIMARY KEY,
    sku      text NOT NULL,
    name     text NOT NULL,
    category text NOT NULL,
    price    numeric(10,2) NOT NULL
);

CREATE TABLE app.orders (
    tenant_id       text NOT NULL REFERENCES app.tenants,
    id              integer NOT NULL,
    customer_id     integer NOT NULL,
    status          text NOT NULL,
    total           numeric(10,2) NOT NULL,
    placed_at       timestamptz NOT NULL,
    internal_margin numeric(10,2),  -- hidden by the policy
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, customer_id) REFERENCES app.customers
);

CREATE TABLE app.order_items (
    tenant_id  text NOT NULL,
    order_id   integer NOT NULL,
    product_id integer NOT NULL REFERENCES app.products,
    quantity   integer NOT NULL,
    PRIMARY KEY (tenant_id, order_id, product_id),
    FOREIGN KEY (tenant_id, order_id) REFERENCES app.orders
);

INSERT INTO app.tenants VALUES
    ('acme', 'Acme Stationery'), ('globex', 'Globex Industries'), ('initech', 'Initech Software');

INSERT INTO app.products VALUES
    (1, 'LAMP-1', 'Desk lamp', 'lighting', 39.50), (2, 'CHAIR-1', 'Office chair', 'furniture', 249.00),
    (3, 'DESK-1', 'Standing desk', 'furniture', 480.00), (4, 'PEN-10', 'Ten pens', 'stationery', 4.25),
    (5, 'BOARD-1', 'White board', 'stationery', 75.00);

INSERT INTO app.customers VALUES
    ('acme', 1, 'Ann Archer', 'EU', '2025-01-09', 'ann@archer.example', '911-00-0001'),
    ('acme', 2, 'Bo Baker', 'US', '2025-02-14', 'bo@baker.example', '911-00-0002'),
    ('acme', 3, 'Cleo Cook', 'EU', '2025-03-03', 'cleo@cook.example', '911-00-0003'),
    ('acme', 4, 'Dan Dyer', 'US', '2025-05-21', 'dan@dyer.example', NULL),
    ('globex', 1, 'Gina (of Globex)', 'EU', '2024-11-11', 'gina@globex.example', '922-00-0001'),
    ('globex', 2, 'Gus (of Globex)', 'US', '2025-01-30', 'gus@globex.example', '922-00-0002'),
    ('globex', 3, 'Gwen (of Globex)', 'EU', '2025-04-17', 'gwen@globex.example', '922-00-0003'),
    ('initech', 1, 'Ian (of Initech)', 'EU', '2025-02-02', 'ian@initech.example', '933-00-0001'),
    ('initech', 2, 'Ida (of Initech)', 'US', '2025-06-06', 'ida@initech.example', '933-00-0002');

INSERT INTO app.orders VALUES
    ('acme', 101, 1, 'paid', 118.50, '2025-06-03 09:15+00', 31.10),
    ('acme', 102, 2, 'paid', 249.00, '2025-06-17 14:40+00', 70.00),
    ('acme', 103, 1, 'refunded', 75.00, '2025-07-01 08:05+00', 12.00),
    ('acme', 104, 3, 'pending', 42.50, '2025-07-12 16:30+00', 9.90),
    ('acme', 105, 3, 'paid', 480.00, '2025-07-20 11:00+00', 96.00),
    ('acme', 106, 4, 'paid', 79.00, '2025-08-05 10:20+00', 22.75),
    ('acme', 107, 1, 'paid', 729.00, '2025-08-19 13:45+00', 180.00),
    ('globex', 101, 1, 'paid', 9960.00, '2025-06-08 10:00+00', 2400.00),
    ('globex', 102, 2, 'refunded', 4800.00, '2025-07-03 12:00+00', 900.00),
    ('globex', 103, 3, 'pending', 7500.00, '2025-08-11 15:30+00', 1800.00),
    ('initech', 101, 1, 'paid', 850.00, '2025-06-21 09:00+00', 200.00),
    ('initech', 102, 2, 'pending', 395.00, '2025-08-02 17:10+00', 80.00);

INSERT INTO app.order_items VALUES
    ('acme', 101, 1, 3), ('acme', 102, 2, 1), ('acme', 103, 5, 1), ('acme', 104, 4, 10), ('acme', 105, 3, 1),
    ('acme', 106, 1, 2), ('acme', 107, 2, 1), ('acme', 107, 3, 1),
    ('globex', 101, 2, 40), ('globex', 102, 3, 10), ('globex', 103, 5, 100),
    ('initech', 101, 4, 200), ('initech', 102, 1, 10);

-- The role that the agent's queries run as may read everything: what keeps tenants apart here is the verdict alone.
GRANT USAGE ON SCHEMA app TO agent;
GRANT SELECT ON ALL TABLES IN SCHEMA app TO agent;
