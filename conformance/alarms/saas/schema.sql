-- A product that many companies rent, as BI tools, ORMs and agents meet it: the tenant stands in `tenant_id` of nearly every
-- table, money, people, events and documents; the calendar, countries and rates are everybody's. Load as a superuser into an
-- empty UTF-8 database. The caller is tenant `acme`.
CREATE TYPE public.priority AS ENUM ('low', 'normal', 'high', 'urgent');

CREATE TABLE public.tenants (id text PRIMARY KEY, name text NOT NULL, plan text NOT NULL, created_at timestamptz NOT NULL);
CREATE TABLE public.teams (id int NOT NULL, tenant_id text NOT NULL, name text NOT NULL, parent_id int, PRIMARY KEY (tenant_id, id));
CREATE TABLE public.users (
  id int NOT NULL, tenant_id text NOT NULL, email text NOT NULL, name text NOT NULL, role text NOT NULL, team_id int,
  is_active boolean NOT NULL DEFAULT true, created_at timestamptz NOT NULL, last_login_at timestamptz,
  password_hash text,                                      -- hidden
  PRIMARY KEY (tenant_id, id));
CREATE TABLE public.customers (
  id int NOT NULL, tenant_id text NOT NULL, name text NOT NULL, email text, country text, city text, segment text,
  created_at timestamptz NOT NULL, birth_date date, account_manager_id int, attributes jsonb,
  tax_number text,                                         -- hidden
  PRIMARY KEY (tenant_id, id));
CREATE TABLE public.categories (id int NOT NULL, tenant_id text NOT NULL, parent_id int, name text NOT NULL, PRIMARY KEY (tenant_id, id));
CREATE TABLE public.products (
  id int NOT NULL, tenant_id text NOT NULL, sku text NOT NULL, name text NOT NULL, category_id int, price numeric(12,2) NOT NULL,
  cost numeric(12,2), tags text[], attributes jsonb, discontinued_at date, PRIMARY KEY (tenant_id, id));
CREATE TABLE public.orders (
  id int NOT NULL, tenant_id text NOT NULL, customer_id int NOT NULL, user_id int, status text NOT NULL, total numeric(12,2) NOT NULL,
  currency text NOT NULL, placed_at timestamptz NOT NULL, shipped_at timestamptz, coupon text, details jsonb, PRIMARY KEY (tenant_id, id));
CREATE TABLE public.order_items (
  id int NOT NULL, tenant_id text NOT NULL, order_id int NOT NULL, product_id int NOT NULL, quantity int NOT NULL,
  unit_price numeric(12,2) NOT NULL, discount numeric(5,2) NOT NULL DEFAULT 0, PRIMARY KEY (tenant_id, id));
CREATE TABLE public.payments (
  id int NOT NULL, tenant_id text NOT NULL, order_id int NOT NULL, method text NOT NULL, amount numeric(12,2) NOT NULL,
  paid_at timestamptz, succeeded boolean NOT NULL, PRIMARY KEY (tenant_id, id));
CREATE TABLE public.events (
  id bigint NOT NULL, tenant_id text NOT NULL, user_id int, session_id text, name text NOT NULL, properties jsonb,
  occurred_at timestamp NOT NULL, PRIMARY KEY (tenant_id, id));
CREATE TABLE public.subscriptions (
  id int NOT NULL, tenant_id text NOT NULL, customer_id int NOT NULL, plan text NOT NULL, mrr numeric(12,2) NOT NULL,
  started_on date NOT NULL, cancelled_on date, PRIMARY KEY (tenant_id, id));
CREATE TABLE public.tickets (
  id int NOT NULL, tenant_id text NOT NULL, customer_id int NOT NULL, assignee_id int, subject text NOT NULL, body text,
  priority public.priority NOT NULL, status text NOT NULL, opened_at timestamptz NOT NULL, closed_at timestamptz, labels text[],
  PRIMARY KEY (tenant_id, id));
CREATE TABLE public.documents (
  id int NOT NULL, tenant_id text NOT NULL, title text NOT NULL, body text NOT NULL, search tsvector, author_id int,
  created_at timestamptz NOT NULL, PRIMARY KEY (tenant_id, id));
CREATE TABLE public.employees (
  id int NOT NULL, tenant_id text NOT NULL, name text NOT NULL, manager_id int, department text NOT NULL, salary numeric(12,2) NOT NULL,
  hired_on date NOT NULL, PRIMARY KEY (tenant_id, id));
CREATE TABLE public.readings (
  id bigint NOT NULL, tenant_id text NOT NULL, device_id text NOT NULL, metric text NOT NULL, value double precision,
  taken_at timestamptz NOT NULL, PRIMARY KEY (tenant_id, id));
CREATE TABLE public.tags (id int NOT NULL, tenant_id text NOT NULL, name text NOT NULL, PRIMARY KEY (tenant_id, id));
CREATE TABLE public.order_tags (tenant_id text NOT NULL, order_id int NOT NULL, tag_id int NOT NULL, PRIMARY KEY (tenant_id, order_id, tag_id));
CREATE TABLE public.countries (code text PRIMARY KEY, name text NOT NULL, region text NOT NULL);
CREATE TABLE public.rates (day date NOT NULL, currency text NOT NULL, rate numeric(12,6) NOT NULL, PRIMARY KEY (currency, day));
CREATE TABLE public.calendar (
  day date PRIMARY KEY, year int NOT NULL, quarter int NOT NULL, month int NOT NULL, iso_week int NOT NULL, is_weekend boolean NOT NULL,
  is_holiday boolean NOT NULL);

INSERT INTO public.tenants VALUES ('acme', 'Acme', 'pro', '2023-01-01 00:00+00'), ('globex', 'Globex', 'free', '2023-02-01 00:00+00');
INSERT INTO public.countries VALUES ('DE', 'Germany', 'EMEA'), ('FR', 'France', 'EMEA'), ('US', 'United States', 'AMER'), ('JP', 'Japan', 'APAC');
INSERT INTO public.calendar
  SELECT d::date, extract(year FROM d), extract(quarter FROM d), extract(month FROM d), extract(week FROM d), extract(isodow FROM d) > 5, false
  FROM generate_series('2024-01-01'::timestamp, '2024-12-31', '1 day') d;
INSERT INTO public.rates SELECT c.day, r.currency, r.rate + extract(day FROM c.day) / 1000
  FROM public.calendar c, (VALUES ('EUR', 1.0), ('USD', 0.92), ('JPY', 0.006)) r (currency, rate);
INSERT INTO public.teams SELECT g, t.id, 'team ' || g, nullif(g / 2, 0) FROM public.tenants t, generate_series(1, 4) g;
INSERT INTO public.users SELECT g, t.id, 'u' || g || '@' || t.id || '.example', 'User ' || g, (ARRAY['admin', 'member', 'viewer'])[g % 3 + 1], g % 4 + 1, g % 5 <> 0,
  '2023-06-01 00:00+00'::timestamptz + g * interval '9 days', '2024-06-01 00:00+00'::timestamptz + g * interval '1 day', 'x' FROM public.tenants t, generate_series(1, 12) g;
INSERT INTO public.customers SELECT g, t.id, 'Customer ' || g, nullif('c' || g || '@mail.example', 'c3@mail.example'), (ARRAY['DE', 'FR', 'US', 'JP', NULL])[g % 5 + 1], 'City ' || g % 4,
  (ARRAY['smb', 'mid', 'enterprise'])[g % 3 + 1], '2023-09-01 00:00+00'::timestamptz + g * interval '11 days', date '1980-01-01' + g * 200, g % 12 + 1,
  jsonb_build_object('score', g, 'vip', g % 4 = 0, 'langs', jsonb_build_array('en', 'de')), 'tax' FROM public.tenants t, generate_series(1, 20) g;
INSERT INTO public.categories SELECT g, t.id, nullif(g / 2, 0), 'category ' || g FROM public.tenants t, generate_series(1, 7) g;
INSERT INTO public.products SELECT g, t.id, 'SKU-' || g, 'Product ' || g, g % 7 + 1, g * 3.5, g * 2, ARRAY['t' || g % 3, 'new'], jsonb_build_object('color', (ARRAY['red', 'blue'])[g % 2 + 1], 'dims', jsonb_build_object('w', g)),
  CASE WHEN g % 6 = 0 THEN date '2024-05-01' END FROM public.tenants t, generate_series(1, 14) g;
INSERT INTO public.orders SELECT g, t.id, g % 20 + 1, g % 12 + 1, (ARRAY['pending', 'paid', 'shipped', 'refunded', 'cancelled'])[g % 5 + 1], g * 7.25, (ARRAY['EUR', 'USD', 'JPY'])[g % 3 + 1],
  '2024-01-03 10:00+00'::timestamptz + g * interval '37 hours', CASE WHEN g % 2 = 0 THEN '2024-01-06 10:00+00'::timestamptz + g * interval '37 hours' END, CASE WHEN g % 7 = 0 THEN 'SPRING' END,
  jsonb_build_object('channel', (ARRAY['web', 'store', 'app'])[g % 3 + 1], 'items', jsonb_build_array(g, g + 1), 'gift', g % 9 = 0) FROM public.tenants t, generate_series(1, 90) g;
INSERT INTO public.order_items SELECT g, t.id, g % 90 + 1, g % 14 + 1, g % 4 + 1, g % 14 * 3.5 + 1, g % 3 * 2.5 FROM public.tenants t, generate_series(1, 200) g;
INSERT INTO public.payments SELECT g, t.id, g, (ARRAY['card', 'sepa', 'paypal'])[g % 3 + 1], g * 7.25, '2024-01-04 12:00+00'::timestamptz + g * interval '37 hours', g % 8 <> 0 FROM public.tenants t, generate_series(1, 80) g;
INSERT INTO public.events SELECT g, t.id, g % 12 + 1, 's' || g / 4, (ARRAY['visit', 'signup', 'trial', 'purchase', 'visit'])[g % 5 + 1], jsonb_build_object('ms', g * 10, 'page', '/p/' || g % 6),
  '2024-03-01 00:00'::timestamp + g * interval '17 minutes' FROM public.tenants t, generate_series(1, 300) g;
INSERT INTO public.subscriptions SELECT g, t.id, g % 20 + 1, (ARRAY['basic', 'plus', 'max'])[g % 3 + 1], g * 10, date '2024-01-01' + g * 5, CASE WHEN g % 4 = 0 THEN date '2024-04-01' + g * 5 END FROM public.tenants t, generate_series(1, 30) g;
INSERT INTO public.tickets SELECT g, t.id, g % 20 + 1, g % 12 + 1, 'Subject ' || g, 'printer is broken', (enum_range(NULL::public.priority))[g % 4 + 1], (ARRAY['open', 'closed'])[g % 2 + 1],
  '2024-02-01 00:00+00'::timestamptz + g * interval '7 hours', CASE WHEN g % 2 = 1 THEN '2024-02-03 00:00+00'::timestamptz + g * interval '7 hours' END, ARRAY['l' || g % 3] FROM public.tenants t, generate_series(1, 40) g;
INSERT INTO public.documents SELECT g, t.id, 'Title ' || g, 'the quick brown fox ' || g, to_tsvector('english', 'the quick brown fox'), g % 12 + 1, '2024-02-01 00:00+00' FROM public.tenants t, generate_series(1, 10) g;
INSERT INTO public.employees SELECT g, t.id, 'Employee ' || g, nullif(g / 2, 0), (ARRAY['eng', 'ops', 'sales'])[g % 3 + 1], 3000 + g * 100, date '2020-01-01' + g * 30 FROM public.tenants t, generate_series(1, 15) g;
INSERT INTO public.readings SELECT g, t.id, 'd' || g % 3, (ARRAY['temp', 'load'])[g % 2 + 1], CASE WHEN g % 11 <> 0 THEN g % 17 * 1.5 END, '2024-05-01 00:00+00'::timestamptz + g * interval '5 minutes' FROM public.tenants t, generate_series(1, 200) g;
INSERT INTO public.tags SELECT g, t.id, 'tag ' || g FROM public.tenants t, generate_series(1, 5) g;
INSERT INTO public.order_tags SELECT t.id, g, g % 5 + 1 FROM public.tenants t, generate_series(1, 60) g;
ANALYZE;
