-- TPC-DS's tables, hired out to many tenants: a uuid key on facts, customers, items, stores and sites; dates, times, demographics, ship modes
-- and reasons are everybody's. Load as a superuser into an empty UTF-8 database. The caller is tenant 1111…; the data is small and
-- made by arithmetic.
CREATE TABLE public.date_dim (
  d_date_sk int PRIMARY KEY, d_date date NOT NULL, d_month_seq int NOT NULL, d_week_seq int NOT NULL, d_year int NOT NULL, d_dow int NOT NULL, d_moy int NOT NULL,
  d_dom int NOT NULL, d_qoy int NOT NULL, d_day_name text NOT NULL, d_quarter_name text NOT NULL, d_holiday text NOT NULL, d_weekend text NOT NULL);
CREATE TABLE public.time_dim (t_time_sk int PRIMARY KEY, t_time int NOT NULL, t_hour int NOT NULL, t_minute int NOT NULL, t_am_pm text NOT NULL, t_meal_time text);
CREATE TABLE public.income_band (ib_income_band_sk int PRIMARY KEY, ib_lower_bound int, ib_upper_bound int);
CREATE TABLE public.household_demographics (hd_demo_sk int PRIMARY KEY, hd_income_band_sk int, hd_buy_potential text, hd_dep_count int, hd_vehicle_count int);
CREATE TABLE public.customer_demographics (
  cd_demo_sk int PRIMARY KEY, cd_gender text, cd_marital_status text, cd_education_status text, cd_purchase_estimate int, cd_credit_rating text, cd_dep_count int,
  cd_dep_employed_count int, cd_dep_college_count int);
CREATE TABLE public.ship_mode (sm_ship_mode_sk int PRIMARY KEY, sm_type text, sm_code text, sm_carrier text);
CREATE TABLE public.reason (r_reason_sk int PRIMARY KEY, r_reason_desc text);

CREATE TABLE public.customer_address (
  tenant_id uuid NOT NULL, ca_address_sk int NOT NULL, ca_address_id text NOT NULL, ca_street_number text, ca_street_name text, ca_city text, ca_county text, ca_state text, ca_zip text, ca_country text,
  ca_gmt_offset numeric(5,2), ca_location_type text, PRIMARY KEY (tenant_id, ca_address_sk));
CREATE TABLE public.customer (
  tenant_id uuid NOT NULL, c_customer_sk int NOT NULL, c_customer_id text NOT NULL, c_current_cdemo_sk int, c_current_hdemo_sk int, c_current_addr_sk int, c_first_shipto_date_sk int, c_first_sales_date_sk int, c_salutation text,
  c_first_name text, c_last_name text, c_preferred_cust_flag text, c_birth_day int, c_birth_month int, c_birth_year int, c_birth_country text, c_login text, c_email_address text, PRIMARY KEY (tenant_id, c_customer_sk));
CREATE TABLE public.store (
  tenant_id uuid NOT NULL, s_store_sk int NOT NULL, s_store_id text NOT NULL, s_store_name text, s_number_employees int, s_market_id int, s_company_id int, s_company_name text, s_street_number text, s_street_name text, s_city text,
  s_county text, s_state text, s_zip text, s_gmt_offset numeric(5,2), PRIMARY KEY (tenant_id, s_store_sk));
CREATE TABLE public.warehouse (tenant_id uuid NOT NULL, w_warehouse_sk int NOT NULL, w_warehouse_name text, w_warehouse_sq_ft int, w_city text, w_county text, w_state text, w_country text, PRIMARY KEY (tenant_id, w_warehouse_sk));
CREATE TABLE public.call_center (tenant_id uuid NOT NULL, cc_call_center_sk int NOT NULL, cc_call_center_id text NOT NULL, cc_name text, cc_manager text, cc_county text, PRIMARY KEY (tenant_id, cc_call_center_sk));
CREATE TABLE public.catalog_page (tenant_id uuid NOT NULL, cp_catalog_page_sk int NOT NULL, cp_catalog_page_id text NOT NULL, PRIMARY KEY (tenant_id, cp_catalog_page_sk));
CREATE TABLE public.web_site (tenant_id uuid NOT NULL, web_site_sk int NOT NULL, web_site_id text NOT NULL, web_name text, web_company_name text, PRIMARY KEY (tenant_id, web_site_sk));
CREATE TABLE public.web_page (tenant_id uuid NOT NULL, wp_web_page_sk int NOT NULL, wp_char_count int, PRIMARY KEY (tenant_id, wp_web_page_sk));
CREATE TABLE public.promotion (tenant_id uuid NOT NULL, p_promo_sk int NOT NULL, p_channel_dmail text, p_channel_email text, p_channel_tv text, p_channel_event text, PRIMARY KEY (tenant_id, p_promo_sk));
CREATE TABLE public.item (
  tenant_id uuid NOT NULL, i_item_sk int NOT NULL, i_item_id text NOT NULL, i_item_desc text, i_current_price numeric(7,2), i_wholesale_cost numeric(7,2), i_brand_id int, i_brand text, i_class_id int, i_class text,
  i_category_id int, i_category text, i_manufact_id int, i_manufact text, i_size text, i_color text, i_units text, i_manager_id int, i_product_name text, PRIMARY KEY (tenant_id, i_item_sk));
CREATE TABLE public.inventory (tenant_id uuid NOT NULL, inv_date_sk int NOT NULL, inv_item_sk int NOT NULL, inv_warehouse_sk int NOT NULL, inv_quantity_on_hand int, PRIMARY KEY (tenant_id, inv_date_sk, inv_item_sk, inv_warehouse_sk));
CREATE TABLE public.store_sales (
  tenant_id uuid NOT NULL, ss_sold_date_sk int, ss_sold_time_sk int, ss_item_sk int NOT NULL, ss_customer_sk int, ss_cdemo_sk int, ss_hdemo_sk int, ss_addr_sk int, ss_store_sk int, ss_promo_sk int, ss_ticket_number int NOT NULL, ss_quantity int,
  ss_wholesale_cost numeric(7,2), ss_list_price numeric(7,2), ss_sales_price numeric(7,2), ss_ext_discount_amt numeric(7,2), ss_ext_sales_price numeric(7,2), ss_ext_wholesale_cost numeric(7,2), ss_ext_list_price numeric(7,2), ss_ext_tax numeric(7,2),
  ss_coupon_amt numeric(7,2), ss_net_paid numeric(7,2), ss_net_profit numeric(7,2), PRIMARY KEY (tenant_id, ss_item_sk, ss_ticket_number));
CREATE TABLE public.store_returns (
  tenant_id uuid NOT NULL, sr_returned_date_sk int, sr_item_sk int NOT NULL, sr_customer_sk int, sr_cdemo_sk int, sr_store_sk int, sr_reason_sk int, sr_ticket_number int NOT NULL, sr_return_quantity int, sr_return_amt numeric(7,2), sr_fee numeric(7,2),
  sr_net_loss numeric(7,2), PRIMARY KEY (tenant_id, sr_item_sk, sr_ticket_number));
CREATE TABLE public.catalog_sales (
  tenant_id uuid NOT NULL, cs_sold_date_sk int, cs_sold_time_sk int, cs_ship_date_sk int, cs_bill_customer_sk int, cs_bill_cdemo_sk int, cs_bill_hdemo_sk int, cs_bill_addr_sk int, cs_ship_customer_sk int, cs_ship_addr_sk int, cs_call_center_sk int,
  cs_catalog_page_sk int, cs_ship_mode_sk int, cs_warehouse_sk int, cs_item_sk int NOT NULL, cs_promo_sk int, cs_order_number int NOT NULL, cs_quantity int, cs_wholesale_cost numeric(7,2), cs_list_price numeric(7,2), cs_sales_price numeric(7,2),
  cs_ext_discount_amt numeric(7,2), cs_ext_sales_price numeric(7,2), cs_ext_wholesale_cost numeric(7,2), cs_ext_list_price numeric(7,2), cs_ext_ship_cost numeric(7,2), cs_coupon_amt numeric(7,2), cs_net_paid numeric(7,2), cs_net_profit numeric(7,2),
  PRIMARY KEY (tenant_id, cs_item_sk, cs_order_number));
CREATE TABLE public.catalog_returns (
  tenant_id uuid NOT NULL, cr_returned_date_sk int, cr_item_sk int NOT NULL, cr_returning_customer_sk int, cr_returning_addr_sk int, cr_call_center_sk int, cr_catalog_page_sk int, cr_reason_sk int, cr_order_number int NOT NULL, cr_return_quantity int,
  cr_return_amount numeric(7,2), cr_return_amt_inc_tax numeric(7,2), cr_refunded_cash numeric(7,2), cr_net_loss numeric(7,2), PRIMARY KEY (tenant_id, cr_item_sk, cr_order_number));
CREATE TABLE public.web_sales (
  tenant_id uuid NOT NULL, ws_sold_date_sk int, ws_sold_time_sk int, ws_ship_date_sk int, ws_item_sk int NOT NULL, ws_bill_customer_sk int, ws_bill_addr_sk int, ws_ship_customer_sk int, ws_ship_hdemo_sk int, ws_ship_addr_sk int, ws_web_page_sk int,
  ws_web_site_sk int, ws_ship_mode_sk int, ws_warehouse_sk int, ws_promo_sk int, ws_order_number int NOT NULL, ws_quantity int, ws_wholesale_cost numeric(7,2), ws_list_price numeric(7,2), ws_sales_price numeric(7,2), ws_ext_discount_amt numeric(7,2),
  ws_ext_sales_price numeric(7,2), ws_ext_wholesale_cost numeric(7,2), ws_ext_list_price numeric(7,2), ws_ext_ship_cost numeric(7,2), ws_net_paid numeric(7,2), ws_net_profit numeric(7,2), PRIMARY KEY (tenant_id, ws_item_sk, ws_order_number));
CREATE TABLE public.web_returns (
  tenant_id uuid NOT NULL, wr_returned_date_sk int, wr_item_sk int NOT NULL, wr_returning_customer_sk int, wr_refunded_cdemo_sk int, wr_returning_cdemo_sk int, wr_refunded_addr_sk int, wr_returning_addr_sk int, wr_web_page_sk int, wr_reason_sk int,
  wr_order_number int NOT NULL, wr_return_quantity int, wr_return_amt numeric(7,2), wr_fee numeric(7,2), wr_refunded_cash numeric(7,2), wr_net_loss numeric(7,2), PRIMARY KEY (tenant_id, wr_item_sk, wr_order_number));

INSERT INTO public.date_dim SELECT g, date '1998-01-01' + g, 1176 + g / 30, 5270 + g / 7, extract(year FROM date '1998-01-01' + g), extract(dow FROM date '1998-01-01' + g), extract(month FROM date '1998-01-01' + g), extract(day FROM date '1998-01-01' + g),
  extract(quarter FROM date '1998-01-01' + g), trim(to_char(date '1998-01-01' + g, 'Day')), to_char(date '1998-01-01' + g, 'YYYY"Q"Q'), 'N', CASE WHEN extract(dow FROM date '1998-01-01' + g) IN (0, 6) THEN 'Y' ELSE 'N' END FROM generate_series(0, 1825) g;
INSERT INTO public.time_dim SELECT g * 600, g * 600, g / 6, g % 6 * 10, CASE WHEN g < 72 THEN 'AM' ELSE 'PM' END, CASE WHEN g BETWEEN 36 AND 53 THEN 'breakfast' WHEN g BETWEEN 108 AND 125 THEN 'dinner' END FROM generate_series(0, 143) g;
INSERT INTO public.income_band SELECT g, g * 10000, g * 10000 + 9999 FROM generate_series(0, 9) g;
INSERT INTO public.household_demographics SELECT g, g % 10, (ARRAY['>10000', 'Unknown', '1001-5000'])[g % 3 + 1], g % 7, g % 5 FROM generate_series(0, 29) g;
INSERT INTO public.customer_demographics SELECT g, (ARRAY['M', 'F'])[g % 2 + 1], (ARRAY['S', 'M', 'W', 'D'])[g % 4 + 1], (ARRAY['College', 'Advanced Degree', '2 yr Degree', 'Unknown'])[g % 4 + 1], 500 * (g % 5), 'Good', g % 3, g % 2, g % 4 FROM generate_series(0, 29) g;
INSERT INTO public.ship_mode SELECT g, (ARRAY['EXPRESS', 'OVERNIGHT', 'REGULAR'])[g + 1], 'AIR', (ARRAY['DHL', 'BARIAN', 'UPS'])[g + 1] FROM generate_series(0, 2) g;
INSERT INTO public.reason SELECT g, 'reason ' || g FROM generate_series(0, 5) g;
CREATE TABLE public.t AS SELECT * FROM unnest(ARRAY['11111111-1111-1111-1111-111111111111', '22222222-2222-2222-2222-222222222222']::uuid[]) tenant_id;
INSERT INTO public.customer_address SELECT t.tenant_id, g, 'AD' || g, g::text, 'Main', (ARRAY['Fairview', 'Midway', 'Edgewood'])[g % 3 + 1], (ARRAY['Rush County', 'Toole County', 'Walker County'])[g % 3 + 1], (ARRAY['TN', 'GA', 'CA', 'TX', 'OH'])[g % 5 + 1], (35000 + g)::text, 'United States', -5, 'apartment' FROM public.t, generate_series(0, 19) g;
INSERT INTO public.customer SELECT t.tenant_id, g, 'CU' || g, g % 30, g % 30, g % 20, g * 10, g * 10, (ARRAY['Mr.', 'Ms.'])[g % 2 + 1], 'First' || g % 9, 'Last' || g % 13, (ARRAY['Y', 'N'])[g % 2 + 1], g % 28 + 1, g % 12 + 1, 1950 + g, (ARRAY['CHILE', 'GERMANY', 'JAPAN'])[g % 3 + 1], NULL, 'c' || g || '@mail.example' FROM public.t, generate_series(0, 39) g;
INSERT INTO public.store SELECT t.tenant_id, g, 'ST' || g, (ARRAY['ought', 'able', 'ese'])[g % 3 + 1], 200 + g * 10, 8, 1, 'Unknown', g::text, 'Oak', (ARRAY['Fairview', 'Midway'])[g % 2 + 1], 'Williamson County', (ARRAY['TN', 'GA'])[g % 2 + 1], (35000 + g)::text, -5 FROM public.t, generate_series(0, 5) g;
INSERT INTO public.warehouse SELECT t.tenant_id, g, 'Warehouse number ' || g, 1000 * g, 'Fairview', 'Williamson County', 'TN', 'United States' FROM public.t, generate_series(0, 2) g;
INSERT INTO public.call_center SELECT t.tenant_id, g, 'CC' || g, 'Center ' || g, 'Manager ' || g, 'Williamson County' FROM public.t, generate_series(0, 2) g;
INSERT INTO public.catalog_page SELECT t.tenant_id, g, 'CP' || g FROM public.t, generate_series(0, 5) g;
INSERT INTO public.web_site SELECT t.tenant_id, g, 'WS' || g, 'site ' || g, 'pri' FROM public.t, generate_series(0, 2) g;
INSERT INTO public.web_page SELECT t.tenant_id, g, 5000 + g * 50 FROM public.t, generate_series(0, 5) g;
INSERT INTO public.promotion SELECT t.tenant_id, g, (ARRAY['Y', 'N'])[g % 2 + 1], 'N', (ARRAY['N', 'Y'])[g % 2 + 1], 'N' FROM public.t, generate_series(0, 4) g;
INSERT INTO public.item SELECT t.tenant_id, g, 'IT' || g, 'item ' || g, 10 + g % 90, 5 + g % 40, 1001 + g % 9, 'brand ' || g % 9, g % 5, (ARRAY['personal', 'portable', 'reference', 'self-help', 'accessories'])[g % 5 + 1], g % 4, (ARRAY['Books', 'Home', 'Electronics', 'Jewelry'])[g % 4 + 1], g % 20 + 100, 'manufact ' || g % 20,
  (ARRAY['small', 'large', 'N/A'])[g % 3 + 1], (ARRAY['slate', 'blanched', 'peach', 'powder'])[g % 4 + 1], (ARRAY['Oz', 'Dozen', 'Each'])[g % 3 + 1], g % 10 + 1, 'product ' || g FROM public.t, generate_series(0, 59) g;
INSERT INTO public.inventory SELECT t.tenant_id, d * 7, g, w, (d * g + w * 13) % 900 FROM public.t, generate_series(0, 150) d, generate_series(0, 19) g, generate_series(0, 2) w;
INSERT INTO public.store_sales SELECT t.tenant_id, g * 7 % 1826, g % 144 * 600, g % 60, g % 40, g % 30, g % 30, g % 20, g % 6, g % 5, g / 3, g % 90 + 1, 10 + g % 40, 20 + g % 90, 15 + g % 90, 1, (15 + g % 90) * 3, 40, 90, 2, g % 3, (15 + g % 90) * 3, g % 70 - 20 FROM public.t, generate_series(0, 2999) g;
INSERT INTO public.store_returns SELECT t.tenant_id, ss_sold_date_sk + 20, ss_item_sk, ss_customer_sk, ss_cdemo_sk, ss_store_sk, ss_ticket_number % 6, ss_ticket_number, 1, 20, 3, 5 FROM public.store_sales, public.t WHERE t.tenant_id = store_sales.tenant_id AND ss_ticket_number % 4 = 0;
INSERT INTO public.catalog_sales SELECT t.tenant_id, (g * 7 + 30) % 1826, g % 144 * 600, (g * 7 + 60) % 1826, g % 40, g % 30, g % 30, g % 20, g % 40, g % 20, g % 3, g % 6, g % 3, g % 3, g % 60, g % 5, g / 2, g % 50 + 1, 10, 30 + g % 50, 20 + g % 50, 1, 90 + g % 100, 40, 120, 5, 1, 90 + g % 100, g % 60 - 10 FROM public.t, generate_series(0, 1999) g;
INSERT INTO public.catalog_returns SELECT cs.tenant_id, cs_sold_date_sk + 30, cs_item_sk, cs_bill_customer_sk, cs_bill_addr_sk, cs_call_center_sk, cs_catalog_page_sk, cs_order_number % 6, cs_order_number, 1, 30, 33, 20, 6 FROM public.catalog_sales cs WHERE cs_order_number % 5 = 0;
INSERT INTO public.web_sales SELECT t.tenant_id, (g * 7 + 40) % 1826, g % 144 * 600, (g * 7 + 50) % 1826, g % 60, g % 40, g % 20, g % 40, g % 30, g % 20, g % 6, g % 3, g % 3, g % 3, g % 5, g / 2, g % 40 + 1, 10, 40 + g % 50, 25 + g % 120, 1, 100 + g % 90, 40, 120, 6, 100 + g % 90, g % 60 - 5 FROM public.t, generate_series(0, 1999) g;
INSERT INTO public.web_returns SELECT ws.tenant_id, ws_sold_date_sk + 15, ws_item_sk, ws_bill_customer_sk, g.n, g.n, ws_bill_addr_sk, ws_bill_addr_sk, ws_web_page_sk, ws_order_number % 6, ws_order_number, 1, 25, 2, 15, 4 FROM public.web_sales ws, LATERAL (SELECT ws_order_number % 30 AS n) g WHERE ws_order_number % 5 = 0;
DROP TABLE public.t;
ANALYZE;
