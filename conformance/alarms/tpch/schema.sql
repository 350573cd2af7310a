-- TPC-H's tables, hired out to many tenants: an integer tenant key on everything but nations and regions. Load as a superuser into an empty
-- UTF-8 database. The caller is tenant 42; the data is small and made by arithmetic, so that most queries have rows.
CREATE TABLE public.region (r_regionkey int PRIMARY KEY, r_name text NOT NULL, r_comment text);
CREATE TABLE public.nation (n_nationkey int PRIMARY KEY, n_name text NOT NULL, n_regionkey int NOT NULL, n_comment text);
CREATE TABLE public.supplier (
  tenant_id bigint NOT NULL, s_suppkey int NOT NULL, s_name text NOT NULL, s_address text NOT NULL, s_nationkey int NOT NULL, s_phone text NOT NULL,
  s_acctbal numeric(15,2) NOT NULL, s_comment text, PRIMARY KEY (tenant_id, s_suppkey));
CREATE TABLE public.part (
  tenant_id bigint NOT NULL, p_partkey int NOT NULL, p_name text NOT NULL, p_mfgr text NOT NULL, p_brand text NOT NULL, p_type text NOT NULL, p_size int NOT NULL,
  p_container text NOT NULL, p_retailprice numeric(15,2) NOT NULL, p_comment text, PRIMARY KEY (tenant_id, p_partkey));
CREATE TABLE public.partsupp (
  tenant_id bigint NOT NULL, ps_partkey int NOT NULL, ps_suppkey int NOT NULL, ps_availqty int NOT NULL, ps_supplycost numeric(15,2) NOT NULL, ps_comment text,
  PRIMARY KEY (tenant_id, ps_partkey, ps_suppkey));
CREATE TABLE public.customer (
  tenant_id bigint NOT NULL, c_custkey int NOT NULL, c_name text NOT NULL, c_address text NOT NULL, c_nationkey int NOT NULL, c_phone text NOT NULL,
  c_acctbal numeric(15,2) NOT NULL, c_mktsegment text NOT NULL, c_comment text, PRIMARY KEY (tenant_id, c_custkey));
CREATE TABLE public.orders (
  tenant_id bigint NOT NULL, o_orderkey int NOT NULL, o_custkey int NOT NULL, o_orderstatus text NOT NULL, o_totalprice numeric(15,2) NOT NULL, o_orderdate date NOT NULL,
  o_orderpriority text NOT NULL, o_clerk text NOT NULL, o_shippriority int NOT NULL, o_comment text, PRIMARY KEY (tenant_id, o_orderkey));
CREATE TABLE public.lineitem (
  tenant_id bigint NOT NULL, l_orderkey int NOT NULL, l_partkey int NOT NULL, l_suppkey int NOT NULL, l_linenumber int NOT NULL, l_quantity numeric(15,2) NOT NULL,
  l_extendedprice numeric(15,2) NOT NULL, l_discount numeric(15,2) NOT NULL, l_tax numeric(15,2) NOT NULL, l_returnflag text NOT NULL, l_linestatus text NOT NULL,
  l_shipdate date NOT NULL, l_commitdate date NOT NULL, l_receiptdate date NOT NULL, l_shipinstruct text NOT NULL, l_shipmode text NOT NULL, l_comment text,
  PRIMARY KEY (tenant_id, l_orderkey, l_linenumber));

INSERT INTO public.region SELECT g, (ARRAY['AFRICA', 'AMERICA', 'ASIA', 'EUROPE', 'MIDDLE EAST'])[g + 1], NULL FROM generate_series(0, 4) g;
INSERT INTO public.nation SELECT g, (ARRAY['GERMANY', 'FRANCE', 'BRAZIL', 'CANADA', 'CHINA', 'SAUDI ARABIA'])[g + 1], (ARRAY[3, 3, 1, 1, 2, 4])[g + 1], NULL FROM generate_series(0, 5) g;
INSERT INTO public.supplier SELECT t, g, 'Supplier#' || g, 'addr ' || g, g % 6, (10 + g % 25) || '-555', g * 100, NULL FROM unnest(ARRAY[42, 43]) t, generate_series(1, 12) g;
INSERT INTO public.part SELECT t, g, (ARRAY['green forest ', 'pale lime ', 'forest mint '])[g % 3 + 1] || g, 'Manufacturer#' || g % 5 + 1, 'Brand#' || (g % 5 + 1) || (g % 3 + 1), (ARRAY['PROMO BRASS', 'ECONOMY ANODIZED STEEL', 'STANDARD POLISHED TIN', 'MEDIUM POLISHED COPPER'])[g % 4 + 1], g % 20 + 1,
  (ARRAY['SM CASE', 'MED BAG', 'LG BOX', 'MED BOX'])[g % 4 + 1], 900 + g, NULL FROM unnest(ARRAY[42, 43]) t, generate_series(1, 40) g;
INSERT INTO public.partsupp SELECT t, p, (p + s * 3) % 12 + 1, p * 50 + s, 10 + p, NULL FROM unnest(ARRAY[42, 43]) t, generate_series(1, 40) p, generate_series(0, 3) s;
INSERT INTO public.customer SELECT t, g, 'Customer#' || g, 'addr ' || g, g % 6, (10 + g % 25) || '-555', g * 50 - 100, (ARRAY['BUILDING', 'AUTOMOBILE', 'MACHINERY'])[g % 3 + 1], NULL FROM unnest(ARRAY[42, 43]) t, generate_series(1, 30) g;
INSERT INTO public.orders SELECT t, g, g % 24 + 1, (ARRAY['F', 'O', 'P'])[g % 3 + 1], g * 300, date '1993-06-01' + g * 9, (ARRAY['1-URGENT', '2-HIGH', '3-MEDIUM', '5-LOW'])[g % 4 + 1], 'Clerk#' || g % 9, 0, CASE WHEN g % 9 = 0 THEN 'special requests' END FROM unnest(ARRAY[42, 43]) t, generate_series(1, 150) g;
INSERT INTO public.lineitem SELECT t, o, (o * 7 + l) % 40 + 1, ((o * 7 + l) % 40 + 1 + l * 3) % 12 + 1, l, (o + l * 11) % 50 + 1, (o + l) * 100, (o + l) % 11 / 100.0, 0.02, (ARRAY['A', 'N', 'R'])[o % 3 + 1], (ARRAY['O', 'F'])[l % 2 + 1],
  date '1993-06-10' + o * 9, date '1993-07-01' + o * 9, date '1993-06-20' + o * 9 + l * 6, (ARRAY['DELIVER IN PERSON', 'NONE'])[l % 2 + 1], (ARRAY['MAIL', 'SHIP', 'AIR', 'TRUCK'])[(o + l) % 4 + 1], NULL FROM unnest(ARRAY[42, 43]) t, generate_series(1, 150) o, generate_series(0, 3) l;
ANALYZE;
