-- Questions of TPC-DS in our own words, 34 to 66, with a uuid tenant key.

-- name: q34
select c_last_name, c_first_name, c_salutation, c_preferred_cust_flag, ss_ticket_number, cnt
from (select ss_ticket_number, ss_customer_sk, store_sales.tenant_id, count(*) cnt
      from store_sales, date_dim, store, household_demographics
      where store.tenant_id = store_sales.tenant_id and ss_sold_date_sk = d_date_sk and ss_store_sk = s_store_sk and ss_hdemo_sk = hd_demo_sk
        and (d_dom between 1 and 3 or d_dom between 25 and 28) and (hd_buy_potential = '>10000' or hd_buy_potential = 'Unknown') and hd_vehicle_count > 0
        and (case when hd_vehicle_count > 0 then hd_dep_count::numeric / hd_vehicle_count else null end) > 1.2
      group by ss_ticket_number, ss_customer_sk, store_sales.tenant_id) dn, customer
where customer.tenant_id = $1 and dn.tenant_id = customer.tenant_id and ss_customer_sk = c_customer_sk and cnt between 1 and 20
order by c_last_name, c_first_name, c_salutation, c_preferred_cust_flag desc, ss_ticket_number

-- name: q35
select ca_state, cd_gender, cd_marital_status, cd_dep_count, count(*) cnt1, min(cd_dep_count), max(cd_dep_count), avg(cd_dep_count)
from customer c, customer_address ca, customer_demographics
where c.tenant_id = $1 and ca.tenant_id = $1 and c.c_current_addr_sk = ca.ca_address_sk and cd_demo_sk = c.c_current_cdemo_sk
  and exists (select * from store_sales, date_dim where store_sales.tenant_id = $1 and c.c_customer_sk = ss_customer_sk and ss_sold_date_sk = d_date_sk and d_year = 2002 and d_qoy < 4)
  and (exists (select * from web_sales, date_dim where web_sales.tenant_id = $1 and c.c_customer_sk = ws_bill_customer_sk and ws_sold_date_sk = d_date_sk and d_year = 2002 and d_qoy < 4)
    or exists (select * from catalog_sales, date_dim where catalog_sales.tenant_id = $1 and c.c_customer_sk = cs_ship_customer_sk and cs_sold_date_sk = d_date_sk and d_year = 2002 and d_qoy < 4))
group by ca_state, cd_gender, cd_marital_status, cd_dep_count
order by ca_state, cd_gender, cd_marital_status, cd_dep_count
limit 100

-- name: q36
select sum(ss_net_profit) / sum(ss_ext_sales_price) as gross_margin, i_category, i_class, grouping(i_category) + grouping(i_class) as lochierarchy,
       rank() over (partition by grouping(i_category) + grouping(i_class), case when grouping(i_class) = 0 then i_category end order by sum(ss_net_profit) / sum(ss_ext_sales_price) asc) as rank_within_parent
from store_sales, date_dim d1, item, store
where store_sales.tenant_id = $1 and item.tenant_id = $1 and store.tenant_id = $1 and d1.d_year = 2001 and d1.d_date_sk = ss_sold_date_sk and i_item_sk = ss_item_sk and s_store_sk = ss_store_sk and s_state in ('TN', 'GA')
group by rollup (i_category, i_class)
order by lochierarchy desc, case when grouping(i_category) + grouping(i_class) = 0 then i_category end, rank_within_parent
limit 100

-- name: q37
select i_item_id, i_item_desc, i_current_price
from item, inventory, date_dim, catalog_sales
where item.tenant_id = $1 and inventory.tenant_id = item.tenant_id and catalog_sales.tenant_id = item.tenant_id and i_current_price between 10 and 10 + 60 and inv_item_sk = i_item_sk and d_date_sk = inv_date_sk
  and d_date between cast('2000-02-01' as date) and (cast('2000-02-01' as date) + interval '60 days') and i_manufact_id in (100, 101, 102, 103, 104, 105) and inv_quantity_on_hand between 100 and 500 and cs_item_sk = i_item_sk
group by i_item_id, i_item_desc, i_current_price
order by i_item_id
limit 100

-- name: q38
select count(*)
from (select distinct c_last_name, c_first_name, d_month_seq / 12 from store_sales, date_dim, customer where store_sales.tenant_id = $1 and customer.tenant_id = $1 and ss_sold_date_sk = d_date_sk and ss_customer_sk = c_customer_sk
      intersect
      select distinct c_last_name, c_first_name, d_month_seq / 12 from catalog_sales, date_dim, customer where catalog_sales.tenant_id = $1 and customer.tenant_id = $1 and cs_sold_date_sk = d_date_sk and cs_bill_customer_sk = c_customer_sk
      intersect
      select distinct c_last_name, c_first_name, d_month_seq / 12 from web_sales, date_dim, customer where web_sales.tenant_id = $1 and customer.tenant_id = $1 and ws_sold_date_sk = d_date_sk and ws_bill_customer_sk = c_customer_sk) hot_cust
limit 100

-- name: q39
with inv as (
  select w_warehouse_sk, i_item_sk, d_moy, stdev, mean, case mean when 0 then null else stdev / mean end cov
  from (select w_warehouse_sk, i_item_sk, d_moy, stddev_samp(inv_quantity_on_hand) stdev, avg(inv_quantity_on_hand) mean
        from inventory, item, warehouse, date_dim
        where inventory.tenant_id = $1 and item.tenant_id = $1 and warehouse.tenant_id = $1 and inv_item_sk = i_item_sk and inv_warehouse_sk = w_warehouse_sk and inv_date_sk = d_date_sk and d_year = 2000
        group by w_warehouse_sk, i_item_sk, d_moy) foo
  where case mean when 0 then 0 else stdev / mean end > 0.01)
select inv1.w_warehouse_sk, inv1.i_item_sk, inv1.d_moy, inv1.mean, inv1.cov, inv2.d_moy, inv2.mean, inv2.cov
from inv inv1, inv inv2
where inv1.i_item_sk = inv2.i_item_sk and inv1.w_warehouse_sk = inv2.w_warehouse_sk and inv1.d_moy = 1 and inv2.d_moy = 1 + 1
order by inv1.w_warehouse_sk, inv1.i_item_sk, inv1.d_moy, inv1.mean, inv1.cov

-- name: q40
select w_state, i_item_id,
       sum(case when d_date < cast('2000-03-11' as date) then cs_sales_price - coalesce(cr_refunded_cash, 0) else 0 end) as sales_before,
       sum(case when d_date >= cast('2000-03-11' as date) then cs_sales_price - coalesce(cr_refunded_cash, 0) else 0 end) as sales_after
from catalog_sales left outer join catalog_returns on (cs_order_number = cr_order_number and cs_item_sk = cr_item_sk and catalog_sales.tenant_id = catalog_returns.tenant_id), warehouse, item, date_dim
where catalog_sales.tenant_id = $1 and warehouse.tenant_id = $1 and item.tenant_id = $1 and i_current_price between 10 and 50 and i_item_sk = cs_item_sk and cs_warehouse_sk = w_warehouse_sk and cs_sold_date_sk = d_date_sk
  and d_date between (cast('2000-03-11' as date) - interval '30 days') and (cast('2000-03-11' as date) + interval '30 days')
group by w_state, i_item_id
order by w_state, i_item_id
limit 100

-- name: q41
select distinct (i_product_name)
from item i1
where i1.tenant_id = $1 and i_manufact_id between 100 and 140
  and (select count(*) as item_cnt
       from item
       where item.tenant_id = i1.tenant_id and ((i_manufact = i1.i_manufact and ((i_category = 'Books' and (i_color = 'powder' or i_color = 'slate') and (i_units = 'Oz' or i_units = 'Each')) or (i_category = 'Home' and i_color in ('peach', 'blanched'))))
          or (i_manufact = i1.i_manufact and (i_category = 'Jewelry' and i_size = 'small')))) > 0
order by i_product_name
limit 100

-- name: q42
select dt.d_year, item.i_category_id, item.i_category, sum(ss_ext_sales_price)
from date_dim dt, store_sales, item
where store_sales.tenant_id = $1 and item.tenant_id = store_sales.tenant_id and dt.d_date_sk = store_sales.ss_sold_date_sk and store_sales.ss_item_sk = item.i_item_sk and item.i_manager_id = 1 and dt.d_moy = 11 and dt.d_year = 2000
group by dt.d_year, item.i_category_id, item.i_category
order by sum(ss_ext_sales_price) desc, dt.d_year, item.i_category_id, item.i_category
limit 100

-- name: q43
select s_store_name, s_store_id,
       sum(case when (d_day_name = 'Sunday') then ss_sales_price else null end) sun_sales,
       sum(case when (d_day_name = 'Monday') then ss_sales_price else null end) mon_sales,
       sum(case when (d_day_name = 'Saturday') then ss_sales_price else null end) sat_sales
from date_dim, store_sales, store
where store_sales.tenant_id = $1 and store.tenant_id = $1 and d_date_sk = ss_sold_date_sk and s_store_sk = ss_store_sk and s_gmt_offset = -5 and d_year = 2000
group by s_store_name, s_store_id
order by s_store_name, s_store_id, sun_sales, mon_sales, sat_sales
limit 100

-- name: q44
select asceding.rnk, i1.i_product_name best_performing, i2.i_product_name worst_performing
from (select * from (select item_sk, rank() over (order by rank_col asc) rnk
                     from (select ss_item_sk item_sk, avg(ss_net_profit) rank_col from store_sales ss1 where ss1.tenant_id = $1 and ss_store_sk = 4 group by ss_item_sk
                           having avg(ss_net_profit) > 0.9 * (select avg(ss_net_profit) rank_col from store_sales where tenant_id = $1 and ss_store_sk = 4 and ss_addr_sk is not null group by ss_store_sk)) v1) v11
      where rnk < 11) asceding,
     (select * from (select item_sk, rank() over (order by rank_col desc) rnk
                     from (select ss_item_sk item_sk, avg(ss_net_profit) rank_col from store_sales ss1 where ss1.tenant_id = $1 and ss_store_sk = 4 group by ss_item_sk) v2) v21
      where rnk < 11) descending, item i1, item i2
where i1.tenant_id = $1 and i2.tenant_id = i1.tenant_id and asceding.rnk = descending.rnk and i1.i_item_sk = asceding.item_sk and i2.i_item_sk = descending.item_sk
order by asceding.rnk
limit 100

-- name: q45
select ca_zip, ca_city, sum(ws_sales_price)
from web_sales, customer, customer_address, date_dim, item
where web_sales.tenant_id = $1 and customer.tenant_id = $1 and customer_address.tenant_id = $1 and item.tenant_id = $1 and ws_bill_customer_sk = c_customer_sk and c_current_addr_sk = ca_address_sk and ws_item_sk = i_item_sk
  and (substr(ca_zip, 1, 5) in ('35001', '35003') or i_item_id in (select i_item_id from item where tenant_id = $1 and i_item_sk in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29)))
  and ws_sold_date_sk = d_date_sk and d_qoy = 2 and d_year = 2001
group by ca_zip, ca_city
order by ca_zip, ca_city
limit 100

-- name: q46
select c_last_name, c_first_name, ca_city, bought_city, ss_ticket_number, amt, profit
from (select ss_ticket_number, ss_customer_sk, ca_city bought_city, sum(ss_coupon_amt) amt, sum(ss_net_profit) profit
      from store_sales, date_dim, store, household_demographics, customer_address
      where store_sales.tenant_id = $1 and store.tenant_id = $1 and customer_address.tenant_id = $1 and store_sales.ss_sold_date_sk = date_dim.d_date_sk and store_sales.ss_store_sk = store.s_store_sk and store_sales.ss_hdemo_sk = household_demographics.hd_demo_sk and store_sales.ss_addr_sk = customer_address.ca_address_sk
        and (household_demographics.hd_dep_count = 4 or household_demographics.hd_vehicle_count = 3) and date_dim.d_dow in (6, 0) and store.s_city in ('Fairview', 'Midway')
      group by ss_ticket_number, ss_customer_sk, ss_addr_sk, ca_city) dn, customer, customer_address current_addr
where customer.tenant_id = $1 and current_addr.tenant_id = $1 and ss_customer_sk = c_customer_sk and customer.c_current_addr_sk = current_addr.ca_address_sk and current_addr.ca_city <> bought_city
order by c_last_name, c_first_name, ca_city, bought_city, ss_ticket_number
limit 100

-- name: q47
with v1 as (
  select i_category, i_brand, s_store_name, s_company_name, d_year, d_moy, sum(ss_sales_price) sum_sales,
         avg(sum(ss_sales_price)) over (partition by i_category, i_brand, s_store_name, s_company_name, d_year) avg_monthly_sales,
         rank() over (partition by i_category, i_brand, s_store_name, s_company_name order by d_year, d_moy) rn
  from item, store_sales, date_dim, store
  where item.tenant_id = $1 and store_sales.tenant_id = $1 and store.tenant_id = $1 and ss_item_sk = i_item_sk and ss_sold_date_sk = d_date_sk and ss_store_sk = s_store_sk and (d_year = 1999 or (d_year = 1998 and d_moy = 12) or (d_year = 2000 and d_moy = 1))
  group by i_category, i_brand, s_store_name, s_company_name, d_year, d_moy),
v2 as (
  select v1.i_category, v1.i_brand, v1.s_store_name, v1.d_year, v1.d_moy, v1.avg_monthly_sales, v1.sum_sales, v1_lag.sum_sales psum, v1_lead.sum_sales nsum
  from v1, v1 v1_lag, v1 v1_lead
  where v1.i_category = v1_lag.i_category and v1.i_category = v1_lead.i_category and v1.i_brand = v1_lag.i_brand and v1.i_brand = v1_lead.i_brand and v1.s_store_name = v1_lag.s_store_name and v1.s_store_name = v1_lead.s_store_name
    and v1.rn = v1_lag.rn + 1 and v1.rn = v1_lead.rn - 1)
select *
from v2
where d_year = 1999 and avg_monthly_sales > 0 and case when avg_monthly_sales > 0 then abs(sum_sales - avg_monthly_sales) / avg_monthly_sales else null end > 0.01
order by sum_sales - avg_monthly_sales, 3
limit 100

-- name: q48
select sum(ss_quantity)
from store_sales, store, customer_demographics, customer_address, date_dim
where store_sales.tenant_id = $1 and store.tenant_id = $1 and customer_address.tenant_id = $1 and s_store_sk = ss_store_sk and ss_sold_date_sk = d_date_sk and d_year = 2000
  and ((cd_demo_sk = ss_cdemo_sk and cd_marital_status = 'M' and cd_education_status = '4 yr Degree') or (cd_demo_sk = ss_cdemo_sk and cd_marital_status = 'S' and cd_education_status = 'College'))
  and ((ss_addr_sk = ca_address_sk and ca_state in ('CA', 'OH', 'TX')) or (ss_addr_sk = ca_address_sk and ca_state in ('TN')))

-- name: q49
select channel, item, return_ratio, return_rank, currency_rank
from (select 'web' as channel, web.item, web.return_ratio, web.return_rank, web.currency_rank
      from (select item, return_ratio, currency_ratio, rank() over (order by return_ratio) as return_rank, rank() over (order by currency_ratio) as currency_rank
            from (select ws.ws_item_sk as item,
                         cast(sum(coalesce(wr.wr_return_quantity, 0)) as decimal(15, 4)) / cast(sum(coalesce(ws.ws_quantity, 0)) as decimal(15, 4)) as return_ratio,
                         cast(sum(coalesce(wr.wr_return_amt, 0)) as decimal(15, 4)) / cast(sum(coalesce(ws.ws_net_paid, 0)) as decimal(15, 4)) as currency_ratio
                  from web_sales ws left outer join web_returns wr on (ws.ws_order_number = wr.wr_order_number and ws.ws_item_sk = wr.wr_item_sk and wr.tenant_id = ws.tenant_id), date_dim
                  where ws.tenant_id = $1 and wr.wr_return_amt > 10 and ws.ws_net_profit > 1 and ws.ws_quantity > 0 and ws_sold_date_sk = d_date_sk and d_year = 2001
                  group by ws.ws_item_sk) in_web) web
      where (web.return_rank <= 10 or web.currency_rank <= 10)
      union
      select 'store' as channel, store.item, store.return_ratio, store.return_rank, store.currency_rank
      from (select item, return_ratio, rank() over (order by return_ratio) as return_rank, rank() over (order by currency_ratio) as currency_rank
            from (select sts.ss_item_sk as item, sum(coalesce(sr.sr_return_quantity, 0))::decimal / sum(coalesce(sts.ss_quantity, 0)) as return_ratio, sum(coalesce(sr.sr_return_amt, 0))::decimal / sum(coalesce(sts.ss_net_paid, 0)) as currency_ratio
                  from store_sales sts left outer join store_returns sr on (sts.ss_ticket_number = sr.sr_ticket_number and sts.ss_item_sk = sr.sr_item_sk and sr.tenant_id = $1), date_dim
                  where sts.tenant_id = $1 and sr.sr_return_amt > 10 and sts.ss_net_profit > 1 and ss_sold_date_sk = d_date_sk and d_year = 2001
                  group by sts.ss_item_sk) in_store) store
      where (store.return_rank <= 10 or store.currency_rank <= 10)) tmp
order by 1, 4, 5, 2
limit 100

-- name: q50
select s_store_name, s_company_id, s_city, s_state,
       sum(case when (sr_returned_date_sk - ss_sold_date_sk <= 30) then 1 else 0 end) as "30 days",
       sum(case when (sr_returned_date_sk - ss_sold_date_sk > 30) and (sr_returned_date_sk - ss_sold_date_sk <= 60) then 1 else 0 end) as "31-60 days"
from store_sales, store_returns, store, date_dim d1, date_dim d2
where store_sales.tenant_id = $1 and store_returns.tenant_id = store_sales.tenant_id and store.tenant_id = store_sales.tenant_id and d2.d_year = 2001 and d2.d_moy = 8 and ss_ticket_number = sr_ticket_number and ss_item_sk = sr_item_sk
  and ss_sold_date_sk = d1.d_date_sk and sr_returned_date_sk = d2.d_date_sk and ss_customer_sk = sr_customer_sk and ss_store_sk = s_store_sk
group by s_store_name, s_company_id, s_city, s_state
order by s_store_name, s_company_id, s_city, s_state
limit 100

-- name: q51
with web_v1 as (
  select ws_item_sk item_sk, d_date, sum(sum(ws_sales_price)) over (partition by ws_item_sk order by d_date rows between unbounded preceding and current row) cume_sales
  from web_sales, date_dim where tenant_id = $1 and ws_sold_date_sk = d_date_sk and d_year = 2000 group by ws_item_sk, d_date),
store_v1 as (
  select ss_item_sk item_sk, d_date, sum(sum(ss_sales_price)) over (partition by ss_item_sk order by d_date rows between unbounded preceding and current row) cume_sales
  from store_sales, date_dim where tenant_id = $1 and ss_sold_date_sk = d_date_sk and d_year = 2000 group by ss_item_sk, d_date)
select *
from (select item_sk, d_date, web_sales, store_sales,
             max(web_sales) over (partition by item_sk order by d_date rows between unbounded preceding and current row) web_cumulative,
             max(store_sales) over (partition by item_sk order by d_date rows between unbounded preceding and current row) store_cumulative
      from (select case when web.item_sk is not null then web.item_sk else store.item_sk end item_sk, case when web.d_date is not null then web.d_date else store.d_date end d_date, web.cume_sales web_sales, store.cume_sales store_sales
            from web_v1 web full outer join store_v1 store on (web.item_sk = store.item_sk and web.d_date = store.d_date)) x) y
where web_cumulative > store_cumulative
order by item_sk, d_date
limit 100

-- name: q52
select dt.d_year, item.i_brand_id brand_id, item.i_brand brand, sum(ss_ext_sales_price) ext_price
from date_dim dt inner join store_sales on dt.d_date_sk = store_sales.ss_sold_date_sk inner join item on store_sales.ss_item_sk = item.i_item_sk and store_sales.tenant_id = item.tenant_id
where store_sales.tenant_id = $1 and item.i_manager_id = 1 and dt.d_moy = 11 and dt.d_year = 2000
group by dt.d_year, item.i_brand, item.i_brand_id
order by dt.d_year, ext_price desc, brand_id
limit 100

-- name: q53
select *
from (select i_manufact_id, sum(ss_sales_price) sum_sales, avg(sum(ss_sales_price)) over (partition by i_manufact_id) avg_quarterly_sales
      from item, store_sales, date_dim, store
      where item.tenant_id = $1 and store_sales.tenant_id = $1 and store.tenant_id = $1 and ss_item_sk = i_item_sk and ss_sold_date_sk = d_date_sk and ss_store_sk = s_store_sk and d_month_seq in (1200, 1201, 1202, 1203, 1204, 1205)
        and ((i_category in ('Books', 'Electronics') and i_class in ('personal', 'portable', 'reference')) or (i_category in ('Home', 'Jewelry') and i_class in ('accessories', 'self-help')))
      group by i_manufact_id, d_qoy) tmp1
where case when avg_quarterly_sales > 0 then abs(sum_sales - avg_quarterly_sales) / avg_quarterly_sales else null end > 0.1
order by avg_quarterly_sales, sum_sales, i_manufact_id
limit 100

-- name: q54
with my_customers as (
  select distinct c_customer_sk, c_current_addr_sk, c.tenant_id
  from (select tenant_id, cs_sold_date_sk sold_date_sk, cs_bill_customer_sk customer_sk, cs_item_sk item_sk from catalog_sales
        union all
        select tenant_id, ws_sold_date_sk, ws_bill_customer_sk, ws_item_sk from web_sales) cs_or_ws_sales, item, date_dim, customer c
  where cs_or_ws_sales.tenant_id = $1 and item.tenant_id = $1 and c.tenant_id = $1 and sold_date_sk = d_date_sk and item_sk = i_item_sk and i_category = 'Home' and d_moy = 12 and d_year = 1998 and c_customer_sk = customer_sk),
my_revenue as (
  select c_customer_sk, sum(ss_ext_sales_price) as revenue
  from my_customers, store_sales, customer_address, store, date_dim
  where store_sales.tenant_id = my_customers.tenant_id and customer_address.tenant_id = my_customers.tenant_id and store.tenant_id = my_customers.tenant_id and c_current_addr_sk = ca_address_sk and ca_county = s_county
    and ss_sold_date_sk = d_date_sk and c_customer_sk = ss_customer_sk
    and d_month_seq between (select distinct d_month_seq + 1 from date_dim where d_year = 1998 and d_moy = 12 and d_dom = 10) and (select distinct d_month_seq + 3 from date_dim where d_year = 1998 and d_moy = 12 and d_dom = 10)
  group by c_customer_sk),
segments as (select cast((revenue / 50) as int) as segment from my_revenue)
select segment, count(*) as num_customers, segment * 50 as segment_base
from segments
group by segment
order by segment, num_customers
limit 100

-- name: q55
select i_brand_id brand_id, i_brand brand, sum(ss_ext_sales_price) ext_price
from date_dim, store_sales, item
where (store_sales.tenant_id, item.tenant_id) = ($1, $1) and d_date_sk = ss_sold_date_sk and ss_item_sk = i_item_sk and i_manager_id = 3 and d_moy = 11 and d_year = 1999
group by i_brand, i_brand_id
order by ext_price desc, i_brand_id
limit 100

-- name: q56
with ss as (
  select i_item_id, sum(ss_ext_sales_price) total_sales from store_sales, date_dim, customer_address, item
  where store_sales.tenant_id = $1 and customer_address.tenant_id = $1 and item.tenant_id = $1 and i_item_id in (select i_item_id from item where tenant_id = $1 and i_color in ('slate', 'blanched')) and ss_item_sk = i_item_sk and ss_sold_date_sk = d_date_sk and d_year = 2001 and ss_addr_sk = ca_address_sk
  group by i_item_id),
cs as (
  select i_item_id, sum(cs_ext_sales_price) total_sales from catalog_sales, date_dim, customer_address, item
  where catalog_sales.tenant_id = $1 and customer_address.tenant_id = $1 and item.tenant_id = $1 and i_item_id in (select i_item_id from item where tenant_id = $1 and i_color in ('slate', 'blanched')) and cs_item_sk = i_item_sk and cs_sold_date_sk = d_date_sk and d_year = 2001 and cs_bill_addr_sk = ca_address_sk
  group by i_item_id)
select i_item_id, sum(total_sales) total_sales
from (select * from ss union all select * from cs) tmp1
group by i_item_id
order by total_sales, i_item_id
limit 100

-- name: q57
with v1 as (
  select i_category, i_brand, cc_name, d_year, d_moy, sum(cs_sales_price) sum_sales, avg(sum(cs_sales_price)) over (partition by i_category, i_brand, cc_name, d_year) avg_monthly_sales, rank() over (partition by i_category, i_brand, cc_name order by d_year, d_moy) rn
  from item join catalog_sales on cs_item_sk = i_item_sk and item.tenant_id = catalog_sales.tenant_id join date_dim on cs_sold_date_sk = d_date_sk join call_center on cc_call_center_sk = cs_call_center_sk and call_center.tenant_id = catalog_sales.tenant_id
  where catalog_sales.tenant_id = $1 and d_year in (1998, 1999, 2000)
  group by i_category, i_brand, cc_name, d_year, d_moy)
select v1.i_category, v1.i_brand, v1.cc_name, v1.d_year, v1.d_moy, v1.avg_monthly_sales, v1.sum_sales, v1_lag.sum_sales psum, v1_lead.sum_sales nsum
from v1, v1 v1_lag, v1 v1_lead
where v1.i_category = v1_lag.i_category and v1.i_category = v1_lead.i_category and v1.i_brand = v1_lag.i_brand and v1.i_brand = v1_lead.i_brand and v1.cc_name = v1_lag.cc_name and v1.cc_name = v1_lead.cc_name and v1.rn = v1_lag.rn + 1 and v1.rn = v1_lead.rn - 1 and v1.d_year = 1999
order by v1.sum_sales - v1.avg_monthly_sales, 1
limit 100

-- name: q58
with ss_items as (
  select i_item_id item_id, sum(ss_ext_sales_price) ss_item_rev from store_sales, item, date_dim
  where store_sales.tenant_id = $1 and item.tenant_id = $1 and ss_item_sk = i_item_sk and d_date in (select d_date from date_dim where d_month_seq = (select d_month_seq from date_dim where d_date = '2000-01-03')) and ss_sold_date_sk = d_date_sk
  group by i_item_id),
ws_items as (
  select i_item_id item_id, sum(ws_ext_sales_price) ws_item_rev from web_sales, item, date_dim
  where web_sales.tenant_id = $1 and item.tenant_id = $1 and ws_item_sk = i_item_sk and d_date in (select d_date from date_dim where d_month_seq = (select d_month_seq from date_dim where d_date = '2000-01-03')) and ws_sold_date_sk = d_date_sk
  group by i_item_id)
select ss_items.item_id, ss_item_rev, ss_item_rev / ((ss_item_rev + ws_item_rev) / 2) * 100 ss_dev, ws_item_rev, (ss_item_rev + ws_item_rev) / 2 average
from ss_items, ws_items
where ss_items.item_id = ws_items.item_id and ss_item_rev between 0.1 * ws_item_rev and 10 * ws_item_rev
order by item_id, ss_item_rev
limit 100

-- name: q59
with wss as (
  select d_week_seq, ss_store_sk, sum(case when (d_day_name = 'Sunday') then ss_sales_price else null end) sun_sales, sum(case when (d_day_name = 'Monday') then ss_sales_price else null end) mon_sales
  from store_sales, date_dim where tenant_id = $1 and d_date_sk = ss_sold_date_sk group by d_week_seq, ss_store_sk)
select s_store_name1, s_store_id1, d_week_seq1, sun_sales1 / sun_sales2, mon_sales1 / mon_sales2
from (select s_store_name s_store_name1, wss.d_week_seq d_week_seq1, s_store_id s_store_id1, sun_sales sun_sales1, mon_sales mon_sales1 from wss, store, date_dim d where store.tenant_id = $1 and d.d_week_seq = wss.d_week_seq and ss_store_sk = s_store_sk and d_year = 1999) y,
     (select s_store_name s_store_name2, wss.d_week_seq d_week_seq2, s_store_id s_store_id2, sun_sales sun_sales2, mon_sales mon_sales2 from wss, store, date_dim d where store.tenant_id = $1 and d.d_week_seq = wss.d_week_seq and ss_store_sk = s_store_sk and d_year = 2000) x
where s_store_id1 = s_store_id2 and d_week_seq1 = d_week_seq2 - 52
order by s_store_name1, s_store_id1, d_week_seq1
limit 100

-- name: q60
with ss as (select i_item_id, sum(ss_ext_sales_price) total_sales from store_sales, date_dim, customer_address, item
            where store_sales.tenant_id = $1 and customer_address.tenant_id = store_sales.tenant_id and item.tenant_id = store_sales.tenant_id and (item.tenant_id, i_item_id) in (select tenant_id, i_item_id from item where i_category in ('Jewelry') and tenant_id = $1)
              and ss_item_sk = i_item_sk and ss_sold_date_sk = d_date_sk and d_year = 1998 and d_moy = 9 and ss_addr_sk = ca_address_sk and ca_gmt_offset = -5 group by i_item_id)
select i_item_id, sum(total_sales) total_sales from (select * from ss) tmp1 group by i_item_id order by i_item_id, total_sales limit 100

-- name: q61
select promotions, total, cast(promotions as decimal(15, 4)) / cast(total as decimal(15, 4)) * 100
from (select sum(ss_ext_sales_price) promotions
      from store_sales, store, promotion, date_dim, customer, customer_address, item
      where store_sales.tenant_id = $1 and store.tenant_id = $1 and promotion.tenant_id = $1 and customer.tenant_id = $1 and customer_address.tenant_id = $1 and item.tenant_id = $1 and ss_sold_date_sk = d_date_sk and ss_store_sk = s_store_sk and ss_promo_sk = p_promo_sk and ss_customer_sk = c_customer_sk and ca_address_sk = c_current_addr_sk and ss_item_sk = i_item_sk
        and ca_gmt_offset = -5 and i_category = 'Jewelry' and (p_channel_dmail = 'Y' or p_channel_email = 'Y' or p_channel_tv = 'Y') and d_year = 1998) promotional_sales,
     (select sum(ss_ext_sales_price) total
      from store_sales, store, date_dim
      where store_sales.tenant_id = $1 and store.tenant_id = $1 and ss_sold_date_sk = d_date_sk and ss_store_sk = s_store_sk and d_year = 1998) all_sales
order by promotions, total
limit 100

-- name: q62
select substr(w_warehouse_name, 1, 20), sm_type, web_name, sum(case when (ws_ship_date_sk - ws_sold_date_sk <= 30) then 1 else 0 end) as "30 days", sum(case when (ws_ship_date_sk - ws_sold_date_sk > 30) then 1 else 0 end) as ">30 days"
from web_sales, warehouse, ship_mode, web_site, date_dim
where web_sales.tenant_id = $1 and warehouse.tenant_id = $1 and web_site.tenant_id = $1 and d_month_seq between 1200 and 1200 + 11 and ws_ship_date_sk = d_date_sk and ws_warehouse_sk = w_warehouse_sk and ws_ship_mode_sk = sm_ship_mode_sk and ws_web_site_sk = web_site_sk
group by substr(w_warehouse_name, 1, 20), sm_type, web_name
order by substr(w_warehouse_name, 1, 20), sm_type, web_name
limit 100

-- name: q63
select *
from (select i_manager_id, sum(ss_sales_price) sum_sales, avg(sum(ss_sales_price)) over (partition by i_manager_id) avg_monthly_sales
      from item, store_sales, date_dim, store
      where item.tenant_id = store_sales.tenant_id and store.tenant_id = store_sales.tenant_id and store_sales.tenant_id = $1 and ss_item_sk = i_item_sk and ss_sold_date_sk = d_date_sk and ss_store_sk = s_store_sk and d_month_seq between 1200 and 1211
      group by i_manager_id, d_moy) tmp1
where case when avg_monthly_sales > 0 then abs(sum_sales - avg_monthly_sales) / avg_monthly_sales else null end > 0.1
order by i_manager_id, avg_monthly_sales, sum_sales
limit 100

-- name: q64
with cs_ui as (
  select cs_item_sk, sum(cs_ext_list_price) as sale, sum(cr_refunded_cash) as refund
  from catalog_sales, catalog_returns
  where catalog_sales.tenant_id = $1 and catalog_returns.tenant_id = catalog_sales.tenant_id and cs_item_sk = cr_item_sk and cs_order_number = cr_order_number
  group by cs_item_sk
  having sum(cs_ext_list_price) > 0.5 * sum(cr_refunded_cash)),
cross_sales as (
  select i_product_name product_name, i_item_sk item_sk, s_store_name store_name, ad1.ca_city b_city, ad2.ca_city c_city, d1.d_year as syear, d2.d_year as fsyear, count(*) cnt, sum(ss_wholesale_cost) s1, sum(ss_list_price) s2
  from store_sales, store_returns, cs_ui, date_dim d1, date_dim d2, store, customer, customer_demographics cd1, customer_demographics cd2, promotion, household_demographics hd1, customer_address ad1, customer_address ad2, income_band ib1, item
  where store_sales.tenant_id = $1 and store_returns.tenant_id = $1 and store.tenant_id = $1 and customer.tenant_id = $1 and promotion.tenant_id = $1 and ad1.tenant_id = $1 and ad2.tenant_id = $1 and item.tenant_id = $1
    and ss_store_sk = s_store_sk and ss_sold_date_sk = d1.d_date_sk and ss_customer_sk = c_customer_sk and ss_cdemo_sk = cd1.cd_demo_sk and ss_hdemo_sk = hd1.hd_demo_sk and ss_addr_sk = ad1.ca_address_sk and ss_item_sk = i_item_sk and ss_item_sk = sr_item_sk and ss_ticket_number = sr_ticket_number
    and ss_item_sk = cs_ui.cs_item_sk and c_current_cdemo_sk = cd2.cd_demo_sk and c_current_addr_sk = ad2.ca_address_sk and c_first_sales_date_sk = d2.d_date_sk and ss_promo_sk = p_promo_sk and hd1.hd_income_band_sk = ib1.ib_income_band_sk
  group by i_product_name, i_item_sk, s_store_name, ad1.ca_city, ad2.ca_city, d1.d_year, d2.d_year)
select cs1.product_name, cs1.store_name, cs1.b_city, cs1.syear, cs1.cnt, cs1.s1, cs2.s1, cs2.syear, cs2.cnt
from cross_sales cs1, cross_sales cs2
where cs1.item_sk = cs2.item_sk and cs1.syear = 1999 and cs2.syear = 1999 + 1 and cs2.cnt <= cs1.cnt and cs1.store_name = cs2.store_name
order by cs1.product_name, cs1.store_name, cs2.cnt

-- name: q65
select s_store_name, i_item_desc, sc.revenue, i_current_price, i_brand
from store, item,
     (select ss_store_sk, avg(revenue) as ave from (select ss_store_sk, ss_item_sk, sum(ss_sales_price) as revenue from store_sales, date_dim where tenant_id = $1 and ss_sold_date_sk = d_date_sk and d_month_seq between 1176 and 1176 + 11 group by ss_store_sk, ss_item_sk) sa group by ss_store_sk) sb,
     (select ss_store_sk, ss_item_sk, sum(ss_sales_price) as revenue from store_sales, date_dim where tenant_id = $1 and ss_sold_date_sk = d_date_sk and d_month_seq between 1176 and 1176 + 11 group by ss_store_sk, ss_item_sk) sc
where store.tenant_id = $1 and item.tenant_id = $1 and sb.ss_store_sk = sc.ss_store_sk and sc.revenue <= 0.9 * sb.ave and s_store_sk = sc.ss_store_sk and i_item_sk = sc.ss_item_sk
order by s_store_name, i_item_desc
limit 100

-- name: q66
select w_warehouse_name, w_city, ship_carriers, year, sum(jan_sales) as jan_sales, sum(feb_sales) as feb_sales, sum(jan_sales / w_warehouse_sq_ft) as jan_sales_per_sq_foot
from (select w_warehouse_name, nullif(w_warehouse_sq_ft, 0) as w_warehouse_sq_ft, w_city, 'DHL' || ',' || 'BARIAN' as ship_carriers, d_year as year, sum(case when d_moy = 1 then ws_ext_sales_price * ws_quantity else 0 end) as jan_sales, sum(case when d_moy = 2 then ws_ext_sales_price * ws_quantity else 0 end) as feb_sales
      from web_sales, warehouse, date_dim, time_dim, ship_mode
      where web_sales.tenant_id = $1 and warehouse.tenant_id = $1 and ws_warehouse_sk = w_warehouse_sk and ws_sold_date_sk = d_date_sk and ws_sold_time_sk = t_time_sk and ws_ship_mode_sk = sm_ship_mode_sk and d_year = 2001 and t_time between 30838 and 30838 + 28800 and sm_carrier in ('DHL', 'BARIAN')
      group by w_warehouse_name, w_warehouse_sq_ft, w_city, d_year
      union all
      select w_warehouse_name, nullif(w_warehouse_sq_ft, 0), w_city, 'DHL' || ',' || 'BARIAN', d_year, sum(case when d_moy = 1 then cs_sales_price * cs_quantity else 0 end), sum(case when d_moy = 2 then cs_sales_price * cs_quantity else 0 end)
      from catalog_sales, warehouse, date_dim, time_dim, ship_mode
      where catalog_sales.tenant_id = $1 and warehouse.tenant_id = $1 and cs_warehouse_sk = w_warehouse_sk and cs_sold_date_sk = d_date_sk and cs_sold_time_sk = t_time_sk and cs_ship_mode_sk = sm_ship_mode_sk and d_year = 2001 and t_time between 30838 and 30838 + 28800 and sm_carrier in ('DHL', 'BARIAN')
      group by w_warehouse_name, w_warehouse_sq_ft, w_city, d_year) x
group by w_warehouse_name, w_city, ship_carriers, year
order by w_warehouse_name
limit 100
