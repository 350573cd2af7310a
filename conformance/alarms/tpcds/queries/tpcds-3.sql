-- Questions of TPC-DS in our own words, 67 to 99 (not all), with a uuid tenant key.

-- name: q67
select *
from (select i_category, i_class, i_brand, d_year, d_qoy, s_store_id, sumsales, rank() over (partition by i_category order by sumsales desc) rk
      from (select i_category, i_class, i_brand, d_year, d_qoy, s_store_id, sum(coalesce(ss_sales_price * ss_quantity, 0)) sumsales
            from store_sales, date_dim, store, item
            where store_sales.tenant_id = $1 and store.tenant_id = $1 and item.tenant_id = $1 and ss_sold_date_sk = d_date_sk and ss_item_sk = i_item_sk and ss_store_sk = s_store_sk and d_month_seq between 1200 and 1200 + 11
            group by rollup (i_category, i_class, i_brand, d_year, d_qoy, s_store_id)) dw1) dw2
where rk <= 100
order by i_category, i_class, i_brand, d_year, d_qoy, s_store_id, sumsales, rk
limit 100

-- name: q68
select c_last_name, c_first_name, ca_city, bought_city, ss_ticket_number, extended_price, extended_tax
from (select ss_ticket_number, ss_customer_sk, ca_city bought_city, sum(ss_ext_sales_price) extended_price, sum(ss_ext_tax) extended_tax
      from store_sales join date_dim on store_sales.ss_sold_date_sk = date_dim.d_date_sk join store on store_sales.ss_store_sk = store.s_store_sk and store.tenant_id = store_sales.tenant_id
           join household_demographics on store_sales.ss_hdemo_sk = hd_demo_sk join customer_address on store_sales.ss_addr_sk = ca_address_sk and customer_address.tenant_id = store_sales.tenant_id
      where store_sales.tenant_id = $1 and d_dom between 1 and 2 and (hd_dep_count = 4 or hd_vehicle_count = 3)
      group by ss_ticket_number, ss_customer_sk, ss_addr_sk, ca_city) dn, customer, customer_address current_addr
where customer.tenant_id = $1 and current_addr.tenant_id = $1 and ss_customer_sk = c_customer_sk and customer.c_current_addr_sk = current_addr.ca_address_sk and current_addr.ca_city <> bought_city
order by c_last_name, ss_ticket_number
limit 100

-- name: q69
select cd_gender, cd_marital_status, cd_education_status, count(*) cnt1
from customer c, customer_address ca, customer_demographics
where c.tenant_id = $1 and ca.tenant_id = $1 and c.c_current_addr_sk = ca.ca_address_sk and ca_state in ('TN', 'GA', 'CA') and cd_demo_sk = c.c_current_cdemo_sk
  and exists (select * from store_sales, date_dim where store_sales.tenant_id = c.tenant_id and c.c_customer_sk = ss_customer_sk and ss_sold_date_sk = d_date_sk and d_year = 2001)
  and (not exists (select * from web_sales, date_dim where web_sales.tenant_id = c.tenant_id and c.c_customer_sk = ws_bill_customer_sk and ws_sold_date_sk = d_date_sk and d_year = 2001 and d_moy between 4 and 5)
   and not exists (select * from catalog_sales, date_dim where catalog_sales.tenant_id = c.tenant_id and c.c_customer_sk = cs_ship_customer_sk and cs_sold_date_sk = d_date_sk and d_year = 2001 and d_moy between 4 and 5))
group by cd_gender, cd_marital_status, cd_education_status
order by cd_gender, cd_marital_status, cd_education_status
limit 100

-- name: q70
select sum(ss_net_profit) as total_sum, s_state, s_county, grouping(s_state) + grouping(s_county) as lochierarchy,
       rank() over (partition by grouping(s_state) + grouping(s_county), case when grouping(s_county) = 0 then s_state end order by sum(ss_net_profit) desc) as rank_within_parent
from store_sales, date_dim d1, store
where store_sales.tenant_id = $1 and store.tenant_id = $1 and d1.d_month_seq between 1200 and 1211 and d1.d_date_sk = ss_sold_date_sk and s_store_sk = ss_store_sk
  and s_state in (select s_state from (select s_state as s_state, rank() over (partition by s_state order by sum(ss_net_profit) desc) as ranking
                                       from store_sales, store, date_dim where store_sales.tenant_id = $1 and store.tenant_id = $1 and d_month_seq between 1200 and 1211 and d_date_sk = ss_sold_date_sk and s_store_sk = ss_store_sk group by s_state) tmp1
                  where ranking <= 5)
group by rollup (s_state, s_county)
order by lochierarchy desc, case when grouping(s_state) + grouping(s_county) = 0 then s_state end, rank_within_parent
limit 100

-- name: q71
select i_brand_id brand_id, i_brand brand, t_hour, t_minute, sum(ext_price) ext_price
from item,
     (select tenant_id as tmp_tenant, ws_ext_sales_price as ext_price, ws_item_sk as sold_item_sk, ws_sold_time_sk as time_sk from web_sales, date_dim where d_date_sk = ws_sold_date_sk and d_moy = 11 and d_year = 1999
      union all
      select tenant_id as tmp_tenant, cs_ext_sales_price, cs_item_sk, cs_sold_time_sk from catalog_sales, date_dim where d_date_sk = cs_sold_date_sk and d_moy = 11 and d_year = 1999
      union all
      select tenant_id as tmp_tenant, ss_ext_sales_price, ss_item_sk, ss_sold_time_sk from store_sales, date_dim where d_date_sk = ss_sold_date_sk and d_moy = 11 and d_year = 1999) tmp, time_dim
where item.tenant_id = $1 and tmp.tmp_tenant = item.tenant_id and sold_item_sk = i_item_sk and i_manager_id = 1 and time_sk = t_time_sk and (t_meal_time = 'breakfast' or t_meal_time = 'dinner')
group by i_brand, i_brand_id, t_hour, t_minute
order by ext_price desc, i_brand_id

-- name: q72
select i_item_desc, w_warehouse_name, d1.d_week_seq, sum(case when p_promo_sk is null then 1 else 0 end) no_promo, sum(case when p_promo_sk is not null then 1 else 0 end) promo, count(*) total_cnt
from catalog_sales
join inventory on (cs_item_sk = inv_item_sk and catalog_sales.tenant_id = inventory.tenant_id)
join warehouse on (w_warehouse_sk = inv_warehouse_sk and warehouse.tenant_id = inventory.tenant_id)
join item on (i_item_sk = cs_item_sk and item.tenant_id = catalog_sales.tenant_id)
join customer_demographics on (cs_bill_cdemo_sk = cd_demo_sk)
join household_demographics on (cs_bill_hdemo_sk = hd_demo_sk)
join date_dim d1 on (cs_sold_date_sk = d1.d_date_sk)
join date_dim d2 on (inv_date_sk = d2.d_date_sk)
join date_dim d3 on (cs_ship_date_sk = d3.d_date_sk)
left outer join promotion on (cs_promo_sk = p_promo_sk and promotion.tenant_id = catalog_sales.tenant_id)
left outer join catalog_returns on (cr_item_sk = cs_item_sk and cr_order_number = cs_order_number and catalog_returns.tenant_id = catalog_sales.tenant_id)
where catalog_sales.tenant_id = $1 and d1.d_week_seq = d2.d_week_seq and inv_quantity_on_hand < cs_quantity and d3.d_date > d1.d_date + 5 and hd_buy_potential = '>10000' and d1.d_year = 1999
group by i_item_desc, w_warehouse_name, d1.d_week_seq
order by total_cnt desc, i_item_desc, w_warehouse_name, d1.d_week_seq
limit 100

-- name: q73
select c_last_name, c_first_name, ss_ticket_number, cnt
from (select ss_ticket_number, ss_customer_sk, count(*) cnt from store_sales, date_dim, store, household_demographics
      where store_sales.tenant_id = $1 and store.tenant_id = $1 and ss_sold_date_sk = d_date_sk and ss_store_sk = s_store_sk and ss_hdemo_sk = hd_demo_sk and d_dom between 1 and 9 and hd_vehicle_count > 0 and case when hd_vehicle_count > 0 then hd_dep_count / hd_vehicle_count else null end >= 1
      group by ss_ticket_number, ss_customer_sk) dj, customer
where customer.tenant_id = $1 and ss_customer_sk = c_customer_sk and cnt between 1 and 5
order by cnt desc, c_last_name asc

-- name: q74
with year_total as (
  select c_customer_id customer_id, d_year as year, stddev_samp(ss_net_paid) year_total, 's' sale_type from customer, store_sales, date_dim where customer.tenant_id = store_sales.tenant_id and store_sales.tenant_id = $1 and c_customer_sk = ss_customer_sk and ss_sold_date_sk = d_date_sk and d_year in (2000, 2001) group by c_customer_id, d_year
  union all
  select c_customer_id, d_year, stddev_samp(ws_net_paid), 'w' from customer, web_sales, date_dim where customer.tenant_id = web_sales.tenant_id and web_sales.tenant_id = $1 and c_customer_sk = ws_bill_customer_sk and ws_sold_date_sk = d_date_sk and d_year in (2000, 2001) group by c_customer_id, d_year)
select s2.customer_id from year_total s1, year_total s2, year_total w1, year_total w2
where s2.customer_id = s1.customer_id and s1.customer_id = w2.customer_id and s1.customer_id = w1.customer_id and s1.sale_type = 's' and w1.sale_type = 'w' and s2.sale_type = 's' and w2.sale_type = 'w' and s1.year = 2000 and s2.year = 2001 and w1.year = 2000 and w2.year = 2001
  and s1.year_total > 0 and w1.year_total > 0 and w2.year_total / w1.year_total > s2.year_total / s1.year_total * 0.5
order by 1 limit 100

-- name: q75
with all_sales as (
  select d_year, i_brand_id, i_class_id, i_category_id, sum(sales_cnt) as sales_cnt, sum(sales_amt) as sales_amt
  from (select d_year, i_brand_id, i_class_id, i_category_id, cs_quantity - coalesce(cr_return_quantity, 0) as sales_cnt, cs_ext_sales_price - coalesce(cr_return_amount, 0.0) as sales_amt
        from catalog_sales join item on i_item_sk = cs_item_sk and item.tenant_id = catalog_sales.tenant_id join date_dim on d_date_sk = cs_sold_date_sk left join catalog_returns on (cs_order_number = cr_order_number and cs_item_sk = cr_item_sk and catalog_returns.tenant_id = catalog_sales.tenant_id)
        where catalog_sales.tenant_id = $1 and i_category = 'Books'
        union
        select d_year, i_brand_id, i_class_id, i_category_id, ss_quantity - coalesce(sr_return_quantity, 0), ss_ext_sales_price - coalesce(sr_return_amt, 0.0)
        from store_sales join item on i_item_sk = ss_item_sk and item.tenant_id = store_sales.tenant_id join date_dim on d_date_sk = ss_sold_date_sk left join store_returns on (ss_ticket_number = sr_ticket_number and ss_item_sk = sr_item_sk and store_returns.tenant_id = store_sales.tenant_id)
        where store_sales.tenant_id = $1 and i_category = 'Books') sales_detail
  group by d_year, i_brand_id, i_class_id, i_category_id)
select prev_yr.d_year as prev_year, curr_yr.d_year as year, curr_yr.i_brand_id, prev_yr.sales_cnt as prev_yr_cnt, curr_yr.sales_cnt as curr_yr_cnt, curr_yr.sales_amt - prev_yr.sales_amt as sales_amt_diff
from all_sales curr_yr, all_sales prev_yr
where curr_yr.i_brand_id = prev_yr.i_brand_id and curr_yr.i_class_id = prev_yr.i_class_id and curr_yr.i_category_id = prev_yr.i_category_id and curr_yr.d_year = 2002 and prev_yr.d_year = 2002 - 1 and cast(curr_yr.sales_cnt as decimal(17, 2)) / cast(prev_yr.sales_cnt as decimal(17, 2)) < 5
order by sales_amt_diff, 3
limit 100

-- name: q76
select channel, col_name, d_year, d_qoy, i_category, count(*) sales_cnt, sum(ext_sales_price) sales_amt
from (select 'store' as channel, 'ss_store_sk' col_name, d_year, d_qoy, i_category, ss_ext_sales_price ext_sales_price from store_sales, item, date_dim where store_sales.tenant_id = $1 and item.tenant_id = $1 and ss_promo_sk is not null and ss_sold_date_sk = d_date_sk and ss_item_sk = i_item_sk
      union all
      select 'web' as channel, 'ws_promo_sk' col_name, d_year, d_qoy, i_category, ws_ext_sales_price from web_sales, item, date_dim where web_sales.tenant_id = $1 and item.tenant_id = $1 and ws_sold_date_sk = d_date_sk and ws_item_sk = i_item_sk) foo
group by channel, col_name, d_year, d_qoy, i_category
order by channel, col_name, d_year, d_qoy, i_category
limit 100

-- name: q77
with ss as (select s_store_sk, sum(ss_ext_sales_price) as sales, sum(ss_net_profit) as profit from store_sales, date_dim, store where store_sales.tenant_id = $1 and store.tenant_id = $1 and ss_sold_date_sk = d_date_sk and d_date between cast('2000-08-03' as date) and (cast('2000-08-03' as date) + interval '30 days') and ss_store_sk = s_store_sk group by s_store_sk),
     sr as (select s_store_sk, sum(sr_return_amt) as returns, sum(sr_net_loss) as profit_loss from store_returns, date_dim, store where store_returns.tenant_id = $1 and store.tenant_id = $1 and sr_returned_date_sk = d_date_sk and sr_store_sk = s_store_sk group by s_store_sk),
     cs as (select cs_call_center_sk, sum(cs_ext_sales_price) as sales, sum(cs_net_profit) as profit from catalog_sales, date_dim where tenant_id = $1 and cs_sold_date_sk = d_date_sk group by cs_call_center_sk),
     cr as (select sum(cr_return_amount) as returns, sum(cr_net_loss) as profit_loss from catalog_returns, date_dim where tenant_id = $1 and cr_returned_date_sk = d_date_sk)
select channel, id, sum(sales) as sales, sum(returns) as returns, sum(profit) as profit
from (select 'store channel' as channel, ss.s_store_sk as id, sales, coalesce(returns, 0) as returns, (profit - coalesce(profit_loss, 0)) as profit from ss left join sr on ss.s_store_sk = sr.s_store_sk
      union all
      select 'catalog channel' as channel, cs_call_center_sk as id, sales, returns, (profit - profit_loss) as profit from cs, cr) x
group by rollup (channel, id)
order by channel, id
limit 100

-- name: q78
with ws as (
  select d_year as ws_sold_year, ws_item_sk, ws_bill_customer_sk ws_customer_sk, sum(ws_quantity) ws_qty from web_sales left join web_returns on wr_order_number = ws_order_number and ws_item_sk = wr_item_sk and web_returns.tenant_id = web_sales.tenant_id join date_dim on ws_sold_date_sk = d_date_sk
  where web_sales.tenant_id = $1 and wr_order_number is null group by d_year, ws_item_sk, ws_bill_customer_sk),
ss as (
  select d_year as ss_sold_year, ss_item_sk, ss_customer_sk, sum(ss_quantity) ss_qty from store_sales left join store_returns on sr_ticket_number = ss_ticket_number and ss_item_sk = sr_item_sk and store_returns.tenant_id = store_sales.tenant_id join date_dim on ss_sold_date_sk = d_date_sk
  where store_sales.tenant_id = $1 and sr_ticket_number is null group by d_year, ss_item_sk, ss_customer_sk)
select ss_item_sk, round(ss_qty::numeric / coalesce(ws_qty, 1), 2) ratio, ss_qty store_qty, coalesce(ws_qty, 0) other_chan_qty
from ss left join ws on (ws_sold_year = ss_sold_year and ws_item_sk = ss_item_sk and ws_customer_sk = ss_customer_sk)
where coalesce(ws_qty, 0) >= 0 and ss_sold_year = 2000
order by ss_item_sk, ss_qty desc, other_chan_qty, ratio
limit 100

-- name: q79
select c_last_name, c_first_name, substr(s_city, 1, 30), ss_ticket_number, amt, profit
from (select ss_ticket_number, ss_customer_sk, store.s_city, sum(ss_coupon_amt) amt, sum(ss_net_profit) profit
      from store_sales, date_dim, store, household_demographics
      where store_sales.tenant_id = $1 and store.tenant_id = $1 and ss_sold_date_sk = d_date_sk and ss_store_sk = s_store_sk and ss_hdemo_sk = hd_demo_sk and (hd_dep_count = 6 or hd_vehicle_count > 2) and d_dow = 1 and store.s_number_employees between 200 and 295
      group by ss_ticket_number, ss_customer_sk, ss_addr_sk, store.s_city) ms, customer
where customer.tenant_id = $1 and ss_customer_sk = c_customer_sk
order by c_last_name, c_first_name, substr(s_city, 1, 30), profit
limit 100

-- name: q80
with ssr as (
  select s_store_id as store_id, sum(ss_ext_sales_price) as sales, sum(coalesce(sr_return_amt, 0)) as returns, sum(ss_net_profit - coalesce(sr_net_loss, 0)) as profit
  from store_sales left outer join store_returns on (ss_item_sk = sr_item_sk and ss_ticket_number = sr_ticket_number and store_returns.tenant_id = $1), date_dim, store, item, promotion
  where store_sales.tenant_id = $1 and store.tenant_id = $1 and item.tenant_id = $1 and promotion.tenant_id = $1 and ss_sold_date_sk = d_date_sk and d_year = 2000 and ss_store_sk = s_store_sk and ss_item_sk = i_item_sk and i_current_price > 50 and ss_promo_sk = p_promo_sk and p_channel_tv = 'N'
  group by s_store_id),
csr as (
  select cp_catalog_page_id as catalog_page_id, sum(cs_ext_sales_price) as sales, sum(coalesce(cr_return_amount, 0)) as returns, sum(cs_net_profit - coalesce(cr_net_loss, 0)) as profit
  from catalog_sales left outer join catalog_returns on (cs_item_sk = cr_item_sk and cs_order_number = cr_order_number and catalog_returns.tenant_id = $1), date_dim, catalog_page, item, promotion
  where catalog_sales.tenant_id = $1 and catalog_page.tenant_id = $1 and item.tenant_id = $1 and promotion.tenant_id = $1 and cs_sold_date_sk = d_date_sk and d_year = 2000 and cs_catalog_page_sk = cp_catalog_page_sk and cs_item_sk = i_item_sk and i_current_price > 50 and cs_promo_sk = p_promo_sk and p_channel_tv = 'N'
  group by cp_catalog_page_id)
select channel, id, sum(sales) as sales, sum(returns) as returns, sum(profit) as profit
from (select 'store channel' as channel, 'store' || store_id as id, sales, returns, profit from ssr
      union all
      select 'catalog channel' as channel, 'catalog_page' || catalog_page_id as id, sales, returns, profit from csr) x
group by rollup (channel, id)
order by channel, id
limit 100

-- name: q81
with customer_total_return as (
  select cr_returning_customer_sk as ctr_customer_sk, ca_state as ctr_state, sum(cr_return_amt_inc_tax) as ctr_total_return
  from catalog_returns, date_dim, customer_address
  where catalog_returns.tenant_id = $1 and customer_address.tenant_id = $1 and cr_returned_date_sk = d_date_sk and d_year = 2000 and cr_returning_addr_sk = ca_address_sk
  group by cr_returning_customer_sk, ca_state)
select c_customer_id, c_first_name, c_last_name, ca_street_number, ca_city, ca_zip, ctr_total_return
from customer_total_return ctr1, customer_address, customer
where customer_address.tenant_id = $1 and customer.tenant_id = $1 and ctr1.ctr_total_return >= (select avg(ctr_total_return) from customer_total_return ctr2 where ctr1.ctr_state = ctr2.ctr_state) and ca_address_sk = c_current_addr_sk and ctr1.ctr_customer_sk = c_customer_sk
order by c_customer_id, c_first_name, c_last_name, ca_street_number, ca_city, ca_zip, ctr_total_return
limit 100

-- name: q82
select i_item_id, i_item_desc, i_current_price
from item, inventory, date_dim, store_sales
where item.tenant_id = $1 and inventory.tenant_id = $1 and store_sales.tenant_id = $1 and i_current_price between 12 and 72 and inv_item_sk = i_item_sk and d_date_sk = inv_date_sk and d_date between cast('2000-05-25' as date) and (cast('2000-05-25' as date) + interval '60 days') and inv_quantity_on_hand between 100 and 500 and ss_item_sk = i_item_sk
group by i_item_id, i_item_desc, i_current_price
order by i_item_id
limit 100

-- name: q83
with sr_items as (
  select i_item_id item_id, sum(sr_return_quantity) sr_item_qty from store_returns, item, date_dim
  where store_returns.tenant_id = $1 and item.tenant_id = $1 and sr_item_sk = i_item_sk and d_date in (select d_date from date_dim where d_month_seq in (select d_month_seq from date_dim where d_date in ('2000-06-30', '2000-09-27', '2000-11-17'))) and sr_returned_date_sk = d_date_sk group by i_item_id),
wr_items as (
  select i_item_id item_id, sum(wr_return_quantity) wr_item_qty from web_returns, item, date_dim
  where web_returns.tenant_id = $1 and item.tenant_id = $1 and wr_item_sk = i_item_sk and d_date in (select d_date from date_dim where d_month_seq in (select d_month_seq from date_dim where d_date in ('2000-06-30', '2000-09-27', '2000-11-17'))) and wr_returned_date_sk = d_date_sk group by i_item_id)
select sr_items.item_id, sr_item_qty, sr_item_qty * 1.0 / (sr_item_qty + wr_item_qty) / 2.0 * 100 sr_dev, wr_item_qty
from sr_items, wr_items where sr_items.item_id = wr_items.item_id order by sr_items.item_id, sr_item_qty limit 100

-- name: q84
select c_customer_id as customer_id, coalesce(c_last_name, '') || ', ' || coalesce(c_first_name, '') as customername
from customer, customer_address, customer_demographics, household_demographics, income_band, store_returns
where customer.tenant_id = $1 and customer_address.tenant_id = $1 and store_returns.tenant_id = $1 and ca_city = 'Edgewood' and c_current_addr_sk = ca_address_sk and ib_lower_bound >= 20000 and ib_upper_bound <= 20000 + 50000 and ib_income_band_sk = hd_income_band_sk and cd_demo_sk = c_current_cdemo_sk and hd_demo_sk = c_current_hdemo_sk and sr_cdemo_sk = cd_demo_sk
order by c_customer_id
limit 100

-- name: q85
select substr(r_reason_desc, 1, 20), avg(ws_quantity), avg(wr_refunded_cash), avg(wr_fee)
from web_sales, web_returns, web_page, customer_demographics cd1, customer_demographics cd2, customer_address, date_dim, reason
where web_sales.tenant_id = $1 and web_returns.tenant_id = $1 and web_page.tenant_id = $1 and customer_address.tenant_id = $1 and ws_web_page_sk = wp_web_page_sk and ws_item_sk = wr_item_sk and ws_order_number = wr_order_number and ws_sold_date_sk = d_date_sk and d_year = 2000
  and cd1.cd_demo_sk = wr_refunded_cdemo_sk and cd2.cd_demo_sk = wr_returning_cdemo_sk and ca_address_sk = wr_refunded_addr_sk and r_reason_sk = wr_reason_sk
  and ((cd1.cd_marital_status = 'M' and cd1.cd_marital_status = cd2.cd_marital_status and ws_sales_price between 20.00 and 150.00) or (cd1.cd_marital_status = 'S' and cd1.cd_marital_status = cd2.cd_marital_status))
group by r_reason_desc
order by substr(r_reason_desc, 1, 20), avg(ws_quantity), avg(wr_refunded_cash), avg(wr_fee)
limit 100

-- name: q86
select sum(ws_net_paid) as total_sum, i_category, i_class, grouping(i_category) + grouping(i_class) as lochierarchy, rank() over (partition by grouping(i_category) + grouping(i_class), case when grouping(i_class) = 0 then i_category end order by sum(ws_net_paid) desc) as rank_within_parent
from web_sales, date_dim d1, item
where web_sales.tenant_id = $1 and item.tenant_id = web_sales.tenant_id and d1.d_month_seq between 1200 and 1200 + 11 and d1.d_date_sk = ws_sold_date_sk and i_item_sk = ws_item_sk
group by rollup (i_category, i_class)
order by lochierarchy desc, case when grouping(i_category) + grouping(i_class) = 0 then i_category end, rank_within_parent
limit 100

-- name: q87
select count(*)
from ((select distinct c_last_name, c_first_name, d_date from store_sales, date_dim, customer where store_sales.tenant_id = $1 and customer.tenant_id = $1 and ss_sold_date_sk = d_date_sk and ss_customer_sk = c_customer_sk and d_month_seq between 1200 and 1211)
      except
      (select distinct c_last_name, c_first_name, d_date from catalog_sales, date_dim, customer where catalog_sales.tenant_id = $1 and customer.tenant_id = $1 and cs_sold_date_sk = d_date_sk and cs_bill_customer_sk = c_customer_sk and d_month_seq between 1200 and 1211)
      except
      (select distinct c_last_name, c_first_name, d_date from web_sales, date_dim, customer where web_sales.tenant_id = $1 and customer.tenant_id = $1 and ws_sold_date_sk = d_date_sk and ws_bill_customer_sk = c_customer_sk and d_month_seq between 1200 and 1211)) cool_cust

-- name: q88
select *
from (select count(*) h8_30_to_9 from store_sales, household_demographics, time_dim, store where store_sales.tenant_id = $1 and store.tenant_id = $1 and ss_sold_time_sk = t_time_sk and ss_hdemo_sk = hd_demo_sk and ss_store_sk = s_store_sk and t_hour = 8 and t_minute >= 30 and s_store_name = 'ese') s1,
     (select count(*) h9_to_9_30 from store_sales, household_demographics, time_dim, store where store_sales.tenant_id = $1 and store.tenant_id = $1 and ss_sold_time_sk = t_time_sk and ss_hdemo_sk = hd_demo_sk and ss_store_sk = s_store_sk and t_hour = 9 and t_minute < 30 and s_store_name = 'ese') s2,
     (select count(*) h9_30_to_10 from store_sales, household_demographics, time_dim, store where store_sales.tenant_id = $1 and store.tenant_id = $1 and ss_sold_time_sk = t_time_sk and ss_hdemo_sk = hd_demo_sk and ss_store_sk = s_store_sk and t_hour = 9 and t_minute >= 30 and s_store_name = 'ese') s3

-- name: q89
select *
from (select i_category, i_class, i_brand, s_store_name, s_company_name, d_moy, sum(ss_sales_price) sum_sales, avg(sum(ss_sales_price)) over (partition by i_category, i_brand, s_store_name, s_company_name) avg_monthly_sales
      from item, store_sales, date_dim, store
      where item.tenant_id = $1 and store_sales.tenant_id = $1 and store.tenant_id = $1 and ss_item_sk = i_item_sk and ss_sold_date_sk = d_date_sk and ss_store_sk = s_store_sk and d_year in (1999) and ((i_category in ('Books', 'Electronics') and i_class in ('portable', 'reference')) or (i_category in ('Home') and i_class in ('personal')))
      group by i_category, i_class, i_brand, s_store_name, s_company_name, d_moy) tmp1
where case when (avg_monthly_sales <> 0) then (abs(sum_sales - avg_monthly_sales) / avg_monthly_sales) else null end > 0.01
order by sum_sales - avg_monthly_sales, s_store_name
limit 100

-- name: q90
select cast(amc as decimal(15, 4)) / cast(nullif(pmc, 0) as decimal(15, 4)) am_pm_ratio
from (select count(*) amc from web_sales, household_demographics, time_dim, web_page where web_sales.tenant_id = $1 and web_page.tenant_id = $1 and ws_sold_time_sk = t_time_sk and ws_ship_hdemo_sk = hd_demo_sk and ws_web_page_sk = wp_web_page_sk and t_hour between 8 and 9 and wp_char_count between 5000 and 5200) at,
     (select count(*) pmc from web_sales, household_demographics, time_dim, web_page where web_sales.tenant_id = $1 and web_page.tenant_id = $1 and ws_sold_time_sk = t_time_sk and ws_ship_hdemo_sk = hd_demo_sk and ws_web_page_sk = wp_web_page_sk and t_hour between 19 and 20 and wp_char_count between 5000 and 5200) pt
order by am_pm_ratio
limit 100

-- name: q91
select cc_call_center_id call_center, cc_name call_center_name, cc_manager manager, sum(cr_net_loss) returns_loss
from call_center, catalog_returns, date_dim, customer, customer_address, customer_demographics, household_demographics
where call_center.tenant_id = catalog_returns.tenant_id and catalog_returns.tenant_id = customer.tenant_id and customer.tenant_id = customer_address.tenant_id and customer_address.tenant_id = $1 and cr_call_center_sk = cc_call_center_sk and cr_returned_date_sk = d_date_sk and cr_returning_customer_sk = c_customer_sk and cd_demo_sk = c_current_cdemo_sk and hd_demo_sk = c_current_hdemo_sk and ca_address_sk = c_current_addr_sk and d_year = 1998 and hd_buy_potential like 'Unknown%'
group by cc_call_center_id, cc_name, cc_manager, cd_marital_status, cd_education_status
order by sum(cr_net_loss) desc

-- name: q92
select sum(ws_ext_discount_amt) as "Excess Discount Amount"
from web_sales, item, date_dim
where web_sales.tenant_id = $1 and item.tenant_id = $1 and i_manufact_id = 105 and i_item_sk = ws_item_sk and d_date between '2000-01-27' and (cast('2000-01-27' as date) + interval '90 days') and d_date_sk = ws_sold_date_sk
  and ws_ext_discount_amt > (select 0.3 * avg(ws_ext_discount_amt) from web_sales, date_dim where web_sales.tenant_id = $1 and ws_item_sk = i_item_sk and d_date between '2000-01-27' and (cast('2000-01-27' as date) + interval '90 days') and d_date_sk = ws_sold_date_sk)
order by sum(ws_ext_discount_amt)
limit 100

-- name: q93
select ss_customer_sk, sum(act_sales) sumsales
from (select ss_item_sk, ss_ticket_number, ss_customer_sk, case when sr_return_quantity is not null then (ss_quantity - sr_return_quantity) * ss_sales_price else (ss_quantity * ss_sales_price) end act_sales
      from store_sales left outer join store_returns on (sr_item_sk = ss_item_sk and sr_ticket_number = ss_ticket_number and store_returns.tenant_id = store_sales.tenant_id), reason
      where store_sales.tenant_id = $1 and sr_reason_sk = r_reason_sk and r_reason_desc = 'reason 4') t
group by ss_customer_sk
order by sumsales, ss_customer_sk
limit 100

-- name: q94
select count(distinct ws_order_number) as "order count", sum(ws_ext_ship_cost) as "total shipping cost"
from web_sales ws1, date_dim, customer_address, web_site
where ws1.tenant_id = $1 and customer_address.tenant_id = $1 and web_site.tenant_id = $1 and d_date between '1999-02-01' and (cast('1999-02-01' as date) + interval '60 days') and ws1.ws_ship_date_sk = d_date_sk and ws1.ws_ship_addr_sk = ca_address_sk and ca_state = 'TN' and ws1.ws_web_site_sk = web_site_sk and web_company_name = 'pri'
  and exists (select * from web_sales ws2 where ws2.tenant_id = $1 and ws1.ws_order_number = ws2.ws_order_number and ws1.ws_warehouse_sk <> ws2.ws_warehouse_sk)
  and not exists (select * from web_returns wr1 where wr1.tenant_id = $1 and ws1.ws_order_number = wr1.wr_order_number)
order by count(distinct ws_order_number)
limit 100

-- name: q95
with ws_wh as (select ws1.ws_order_number, ws1.ws_warehouse_sk wh1, ws2.ws_warehouse_sk wh2 from web_sales ws1, web_sales ws2 where ws1.tenant_id = $1 and ws2.tenant_id = ws1.tenant_id and ws1.ws_order_number = ws2.ws_order_number and ws1.ws_warehouse_sk <> ws2.ws_warehouse_sk)
select count(distinct ws_order_number) as "order count", sum(ws_net_profit) as "total net profit"
from web_sales ws1, date_dim, customer_address
where ws1.tenant_id = $1 and customer_address.tenant_id = $1 and d_date between '1999-02-01' and (cast('1999-02-01' as date) + interval '60 days') and ws1.ws_ship_date_sk = d_date_sk and ws1.ws_ship_addr_sk = ca_address_sk
  and ws1.ws_order_number in (select ws_order_number from ws_wh) and ws1.ws_order_number in (select wr_order_number from web_returns, ws_wh where web_returns.tenant_id = $1 and wr_order_number = ws_wh.ws_order_number)
order by count(distinct ws_order_number)
limit 100

-- name: q96
select count(*)
from store_sales, household_demographics, time_dim, store
where store_sales.tenant_id = $1 and store.tenant_id = $1 and ss_sold_time_sk = time_dim.t_time_sk and ss_hdemo_sk = household_demographics.hd_demo_sk and ss_store_sk = s_store_sk and time_dim.t_hour = 20 and time_dim.t_minute >= 30 and household_demographics.hd_dep_count = 5
order by count(*)
limit 100

-- name: q97
with ssci as (select ss_customer_sk customer_sk, ss_item_sk item_sk from store_sales, date_dim where tenant_id = $1 and ss_sold_date_sk = d_date_sk and d_month_seq between 1200 and 1200 + 11 group by ss_customer_sk, ss_item_sk),
     csci as (select cs_bill_customer_sk customer_sk, cs_item_sk item_sk from catalog_sales, date_dim where tenant_id = $1 and cs_sold_date_sk = d_date_sk and d_month_seq between 1200 and 1200 + 11 group by cs_bill_customer_sk, cs_item_sk)
select sum(case when ssci.customer_sk is not null and csci.customer_sk is null then 1 else 0 end) store_only, sum(case when ssci.customer_sk is null and csci.customer_sk is not null then 1 else 0 end) catalog_only, sum(case when ssci.customer_sk is not null and csci.customer_sk is not null then 1 else 0 end) store_and_catalog
from ssci full outer join csci on (ssci.customer_sk = csci.customer_sk and ssci.item_sk = csci.item_sk)
limit 100

-- name: q98
select i_item_id, i_item_desc, i_category, i_class, i_current_price, sum(ss_ext_sales_price) as itemrevenue, sum(ss_ext_sales_price) * 100 / sum(sum(ss_ext_sales_price)) over (partition by i_class) as revenueratio
from store_sales, item, date_dim
where store_sales.tenant_id = $1 and item.tenant_id = $1 and ss_item_sk = i_item_sk and i_category in ('Jewelry', 'Home', 'Books') and ss_sold_date_sk = d_date_sk and d_date between cast('1999-02-22' as date) and (cast('1999-02-22' as date) + interval '30 days')
group by i_item_id, i_item_desc, i_category, i_class, i_current_price
order by i_category, i_class, i_item_id, i_item_desc, revenueratio

-- name: q99
select substr(w_warehouse_name, 1, 20), sm_type, cc_name, sum(case when (cs_ship_date_sk - cs_sold_date_sk <= 30) then 1 else 0 end) as "30 days", sum(case when (cs_ship_date_sk - cs_sold_date_sk > 30) then 1 else 0 end) as ">30 days"
from catalog_sales, warehouse, ship_mode, call_center, date_dim
where catalog_sales.tenant_id = $1 and warehouse.tenant_id = $1 and call_center.tenant_id = $1 and d_month_seq between 1200 and 1200 + 11 and cs_ship_date_sk = d_date_sk and cs_warehouse_sk = w_warehouse_sk and cs_ship_mode_sk = sm_ship_mode_sk and cs_call_center_sk = cc_call_center_sk
group by substr(w_warehouse_name, 1, 20), sm_type, cc_name
order by substr(w_warehouse_name, 1, 20), sm_type, cc_name
limit 100
