-- Questions of TPC-DS in our own words, 1 to 33, with a uuid tenant key.

-- name: q01
with customer_total_return as (
  select sr.tenant_id, sr.sr_customer_sk as ctr_customer_sk, sr.sr_store_sk as ctr_store_sk, sum(sr.sr_fee) as ctr_total_return
  from store_returns sr, date_dim d
  where sr.tenant_id = $1 and sr.sr_returned_date_sk = d.d_date_sk and d.d_year = 2000
  group by sr.tenant_id, sr.sr_customer_sk, sr.sr_store_sk)
select c.c_customer_id
from customer_total_return ctr1, store s, customer c
where ctr1.ctr_total_return > (select avg(ctr2.ctr_total_return) * 1.2 from customer_total_return ctr2 where ctr1.ctr_store_sk = ctr2.ctr_store_sk)
  and s.tenant_id = ctr1.tenant_id and s.s_store_sk = ctr1.ctr_store_sk and s.s_state = 'TN'
  and c.tenant_id = ctr1.tenant_id and ctr1.ctr_customer_sk = c.c_customer_sk
order by c.c_customer_id
limit 100

-- name: q02
with wscs as (
  select sold_date_sk, sales_price
  from (select ws_sold_date_sk sold_date_sk, ws_ext_sales_price sales_price from web_sales where tenant_id = $1
        union all
        select cs_sold_date_sk sold_date_sk, cs_ext_sales_price sales_price from catalog_sales where tenant_id = $1) x),
wswscs as (
  select d_week_seq,
         sum(case when d_day_name = 'Sunday' then sales_price else null end) sun_sales,
         sum(case when d_day_name = 'Monday' then sales_price else null end) mon_sales,
         sum(case when d_day_name = 'Saturday' then sales_price else null end) sat_sales
  from wscs, date_dim
  where d_date_sk = sold_date_sk
  group by d_week_seq)
select y.d_week_seq1, round(y.sun_sales1 / z.sun_sales2, 2), round(y.mon_sales1 / z.mon_sales2, 2), round(y.sat_sales1 / z.sat_sales2, 2)
from (select wswscs.d_week_seq d_week_seq1, sun_sales sun_sales1, mon_sales mon_sales1, sat_sales sat_sales1 from wswscs, date_dim where date_dim.d_week_seq = wswscs.d_week_seq and d_year = 1998) y,
     (select wswscs.d_week_seq d_week_seq2, sun_sales sun_sales2, mon_sales mon_sales2, sat_sales sat_sales2 from wswscs, date_dim where date_dim.d_week_seq = wswscs.d_week_seq and d_year = 1999) z
where y.d_week_seq1 = z.d_week_seq2 - 53
order by y.d_week_seq1

-- name: q03
select dt.d_year, i.i_brand_id as brand_id, i.i_brand as brand, sum(ss.ss_ext_sales_price) as sum_agg
from date_dim dt, store_sales ss, item i
where dt.d_date_sk = ss.ss_sold_date_sk and ss.ss_item_sk = i.i_item_sk and i.tenant_id = ss.tenant_id and ss.tenant_id = $1 and i.i_manufact_id = 108 and dt.d_moy = 11
group by dt.d_year, i.i_brand, i.i_brand_id
order by dt.d_year, sum_agg desc, brand_id
limit 100

-- name: q04
with year_total as (
  select c_customer_id customer_id, c_first_name customer_first_name, d_year dyear, sum(((ss_ext_list_price - ss_ext_wholesale_cost - ss_ext_discount_amt) + ss_ext_sales_price) / 2) year_total, 's' sale_type
  from customer, store_sales, date_dim
  where customer.tenant_id = $1 and store_sales.tenant_id = $1 and c_customer_sk = ss_customer_sk and ss_sold_date_sk = d_date_sk
  group by c_customer_id, c_first_name, d_year
  union all
  select c_customer_id, c_first_name, d_year, sum(((cs_ext_list_price - cs_ext_wholesale_cost - cs_ext_discount_amt) + cs_ext_sales_price) / 2), 'c'
  from customer, catalog_sales, date_dim
  where customer.tenant_id = $1 and catalog_sales.tenant_id = $1 and c_customer_sk = cs_bill_customer_sk and cs_sold_date_sk = d_date_sk
  group by c_customer_id, c_first_name, d_year
  union all
  select c_customer_id, c_first_name, d_year, sum(((ws_ext_list_price - ws_ext_wholesale_cost - ws_ext_discount_amt) + ws_ext_sales_price) / 2), 'w'
  from customer, web_sales, date_dim
  where customer.tenant_id = $1 and web_sales.tenant_id = $1 and c_customer_sk = ws_bill_customer_sk and ws_sold_date_sk = d_date_sk
  group by c_customer_id, c_first_name, d_year)
select t_s_secyear.customer_id, t_s_secyear.customer_first_name
from year_total t_s_firstyear, year_total t_s_secyear, year_total t_c_firstyear, year_total t_c_secyear
where t_s_secyear.customer_id = t_s_firstyear.customer_id and t_s_firstyear.customer_id = t_c_secyear.customer_id and t_s_firstyear.customer_id = t_c_firstyear.customer_id
  and t_s_firstyear.sale_type = 's' and t_c_firstyear.sale_type = 'c' and t_s_secyear.sale_type = 's' and t_c_secyear.sale_type = 'c'
  and t_s_firstyear.dyear = 1999 and t_s_secyear.dyear = 2000 and t_c_firstyear.dyear = 1999 and t_c_secyear.dyear = 2000
  and t_s_firstyear.year_total > 0 and t_c_firstyear.year_total > 0
  and case when t_c_firstyear.year_total > 0 then t_c_secyear.year_total / t_c_firstyear.year_total else null end > case when t_s_firstyear.year_total > 0 then t_s_secyear.year_total / t_s_firstyear.year_total else null end
order by t_s_secyear.customer_id
limit 100

-- name: q05
with ssr as (
  select s_store_id, sum(sales_price) as sales, sum(profit) as profit, sum(return_amt) as returns, sum(net_loss) as profit_loss
  from (select tenant_id, ss_store_sk as store_sk, ss_sold_date_sk as date_sk, ss_ext_sales_price as sales_price, ss_net_profit as profit, cast(0 as decimal(7, 2)) as return_amt, cast(0 as decimal(7, 2)) as net_loss from store_sales
        union all
        select tenant_id, sr_store_sk, sr_returned_date_sk, cast(0 as decimal(7, 2)), cast(0 as decimal(7, 2)), sr_return_amt, sr_net_loss from store_returns) salesreturns, date_dim, store
  where salesreturns.tenant_id = $1 and store.tenant_id = $1 and date_sk = d_date_sk and d_date between cast('2000-08-23' as date) and (cast('2000-08-23' as date) + interval '60 days') and store_sk = s_store_sk
  group by s_store_id),
csr as (
  select cp_catalog_page_id, sum(sales_price) as sales, sum(profit) as profit, sum(return_amt) as returns, sum(net_loss) as profit_loss
  from (select tenant_id, cs_catalog_page_sk as page_sk, cs_sold_date_sk as date_sk, cs_ext_sales_price as sales_price, cs_net_profit as profit, cast(0 as decimal(7, 2)) as return_amt, cast(0 as decimal(7, 2)) as net_loss from catalog_sales
        union all
        select tenant_id, cr_catalog_page_sk, cr_returned_date_sk, cast(0 as decimal(7, 2)), cast(0 as decimal(7, 2)), cr_return_amount, cr_net_loss from catalog_returns) salesreturns, date_dim, catalog_page
  where salesreturns.tenant_id = catalog_page.tenant_id and catalog_page.tenant_id = $1 and date_sk = d_date_sk and d_date between cast('2000-08-23' as date) and (cast('2000-08-23' as date) + interval '60 days') and page_sk = cp_catalog_page_sk
  group by cp_catalog_page_id),
wsr as (
  select web_site_id, sum(sales_price) as sales, sum(profit) as profit, sum(return_amt) as returns, sum(net_loss) as profit_loss
  from (select tenant_id, ws_web_site_sk as wsr_web_site_sk, ws_sold_date_sk as date_sk, ws_ext_sales_price as sales_price, ws_net_profit as profit, cast(0 as decimal(7, 2)) as return_amt, cast(0 as decimal(7, 2)) as net_loss from web_sales where tenant_id = $1
        union all
        select wr.tenant_id, ws.ws_web_site_sk, wr.wr_returned_date_sk, cast(0 as decimal(7, 2)), cast(0 as decimal(7, 2)), wr.wr_return_amt, wr.wr_net_loss
        from web_returns wr left outer join web_sales ws on wr.wr_item_sk = ws.ws_item_sk and wr.wr_order_number = ws.ws_order_number and wr.tenant_id = ws.tenant_id
        where wr.tenant_id = $1) salesreturns, date_dim, web_site
  where date_sk = d_date_sk and d_date between cast('2000-08-23' as date) and (cast('2000-08-23' as date) + interval '60 days') and wsr_web_site_sk = web_site_sk and web_site.tenant_id = $1
  group by web_site_id)
select channel, id, sum(sales) as sales, sum(returns) as returns, sum(profit) as profit
from (select 'store channel' as channel, 'store' || s_store_id as id, sales, returns, (profit - profit_loss) as profit from ssr
      union all
      select 'catalog channel' as channel, 'catalog_page' || cp_catalog_page_id as id, sales, returns, (profit - profit_loss) as profit from csr
      union all
      select 'web channel' as channel, 'web_site' || web_site_id as id, sales, returns, (profit - profit_loss) as profit from wsr) x
group by rollup (channel, id)
order by channel, id
limit 100

-- name: q06
select a.ca_state state, count(*) cnt
from customer_address a, customer c, store_sales s, date_dim d, item i
where a.tenant_id = $1 and c.tenant_id = a.tenant_id and s.tenant_id = a.tenant_id and i.tenant_id = a.tenant_id
  and a.ca_address_sk = c.c_current_addr_sk and c.c_customer_sk = s.ss_customer_sk and s.ss_sold_date_sk = d.d_date_sk and s.ss_item_sk = i.i_item_sk
  and d.d_month_seq = (select distinct (d_month_seq) from date_dim where d_year = 2000 and d_moy = 1 order by 1 limit 1)
  and i.i_current_price > 1.1 * (select avg(j.i_current_price) from item j where j.tenant_id = i.tenant_id and j.i_category = i.i_category)
group by a.ca_state
having count(*) >= 1
order by cnt, a.ca_state
limit 100

-- name: q07
select i_item_id, avg(ss_quantity) agg1, avg(ss_list_price) agg2, avg(ss_coupon_amt) agg3, avg(ss_sales_price) agg4
from store_sales, customer_demographics, date_dim, item, promotion
where store_sales.tenant_id = $1 and item.tenant_id = store_sales.tenant_id and promotion.tenant_id = store_sales.tenant_id
  and ss_sold_date_sk = d_date_sk and ss_item_sk = i_item_sk and ss_cdemo_sk = cd_demo_sk and ss_promo_sk = p_promo_sk
  and cd_gender = 'M' and cd_marital_status = 'S' and cd_education_status = 'College' and (p_channel_email = 'N' or p_channel_event = 'N') and d_year = 2000
group by i_item_id
order by i_item_id
limit 100

-- name: q08
select s_store_name, sum(ss_net_profit)
from store_sales, date_dim, store,
     (select ca_zip
      from (select substr(ca_zip, 1, 5) ca_zip from customer_address where tenant_id = $1 and substr(ca_zip, 1, 5) in ('35000', '35001', '35002', '35003', '35004')
            intersect
            select ca_zip
            from (select substr(ca_zip, 1, 5) ca_zip, count(*) cnt
                  from customer_address, customer
                  where customer_address.tenant_id = $1 and customer.tenant_id = $1 and ca_address_sk = c_current_addr_sk and c_preferred_cust_flag = 'Y'
                  group by ca_zip
                  having count(*) > 0) a1) a2) v1
where store_sales.tenant_id = $1 and store.tenant_id = store_sales.tenant_id and ss_store_sk = s_store_sk and ss_sold_date_sk = d_date_sk and d_qoy = 2 and d_year = 1998 and substr(s_zip, 1, 2) = substr(v1.ca_zip, 1, 2)
group by s_store_name
order by s_store_name
limit 100

-- name: q09
select case when (select count(*) from store_sales where tenant_id = $1 and ss_quantity between 1 and 20) > 250
            then (select avg(ss_ext_discount_amt) from store_sales where tenant_id = $1 and ss_quantity between 1 and 20)
            else (select avg(ss_net_paid) from store_sales where tenant_id = $1 and ss_quantity between 1 and 20) end bucket1,
       case when (select count(*) from store_sales where tenant_id = $1 and ss_quantity between 21 and 40) > 250
            then (select avg(ss_ext_discount_amt) from store_sales where tenant_id = $1 and ss_quantity between 21 and 40)
            else (select avg(ss_net_paid) from store_sales where tenant_id = $1 and ss_quantity between 21 and 40) end bucket2
from reason
where r_reason_sk = 1

-- name: q10
select cd_gender, cd_marital_status, cd_education_status, count(*) cnt1, cd_purchase_estimate, count(*) cnt2
from customer c, customer_address ca, customer_demographics
where c.tenant_id = $1 and ca.tenant_id = c.tenant_id and c.c_current_addr_sk = ca.ca_address_sk and ca_county in ('Rush County', 'Toole County') and cd_demo_sk = c.c_current_cdemo_sk
  and exists (select * from store_sales, date_dim where store_sales.tenant_id = c.tenant_id and c.c_customer_sk = ss_customer_sk and ss_sold_date_sk = d_date_sk and d_year = 2002 and d_moy between 1 and 4)
  and (exists (select * from web_sales, date_dim where web_sales.tenant_id = c.tenant_id and c.c_customer_sk = ws_bill_customer_sk and ws_sold_date_sk = d_date_sk and d_year = 2002 and d_moy between 1 and 4)
    or exists (select * from catalog_sales, date_dim where catalog_sales.tenant_id = c.tenant_id and c.c_customer_sk = cs_ship_customer_sk and cs_sold_date_sk = d_date_sk and d_year = 2002 and d_moy between 1 and 4))
group by cd_gender, cd_marital_status, cd_education_status, cd_purchase_estimate
order by cd_gender, cd_marital_status, cd_education_status, cd_purchase_estimate
limit 100

-- name: q11
with year_total as (
  select c.c_customer_id customer_id, c.c_preferred_cust_flag flag, d.d_year as dyear, sum(ss.ss_ext_list_price - ss.ss_ext_discount_amt) year_total, 's' sale_type
  from customer c join store_sales ss on c.c_customer_sk = ss.ss_customer_sk and c.tenant_id = ss.tenant_id join date_dim d on ss.ss_sold_date_sk = d.d_date_sk
  where c.tenant_id = $1
  group by 1, 2, 3
  union all
  select c.c_customer_id, c.c_preferred_cust_flag, d.d_year, sum(ws.ws_ext_list_price - ws.ws_ext_discount_amt), 'w'
  from customer c join web_sales ws on c.c_customer_sk = ws.ws_bill_customer_sk and c.tenant_id = ws.tenant_id join date_dim d on ws.ws_sold_date_sk = d.d_date_sk
  where c.tenant_id = $1
  group by 1, 2, 3)
select b.customer_id, b.flag
from year_total a, year_total b, year_total c, year_total d
where a.customer_id = b.customer_id and a.customer_id = c.customer_id and a.customer_id = d.customer_id
  and a.sale_type = 's' and b.sale_type = 's' and c.sale_type = 'w' and d.sale_type = 'w' and a.dyear = 2000 and b.dyear = 2001 and c.dyear = 2000 and d.dyear = 2001
  and a.year_total > 0 and c.year_total > 0 and d.year_total / c.year_total > b.year_total / a.year_total
order by 1, 2
limit 100

-- name: q12
select i_item_id, i_item_desc, i_category, i_class, i_current_price, sum(ws_ext_sales_price) as itemrevenue,
       sum(ws_ext_sales_price) * 100 / sum(sum(ws_ext_sales_price)) over (partition by i_class) as revenueratio
from web_sales, item, date_dim
where web_sales.tenant_id = $1 and item.tenant_id = $1 and ws_item_sk = i_item_sk and i_category in ('Books', 'Home') and ws_sold_date_sk = d_date_sk and d_date between cast('1999-02-22' as date) and (cast('1999-02-22' as date) + interval '30 days')
group by i_item_id, i_item_desc, i_category, i_class, i_current_price
order by i_category, i_class, i_item_id, i_item_desc, revenueratio
limit 100

-- name: q13
select avg(ss_quantity), avg(ss_ext_sales_price), avg(ss_ext_wholesale_cost), sum(ss_ext_wholesale_cost)
from store_sales, store, customer_demographics, household_demographics, customer_address, date_dim
where store_sales.tenant_id = $1 and store.tenant_id = $1 and customer_address.tenant_id = $1
  and s_store_sk = ss_store_sk and ss_sold_date_sk = d_date_sk and d_year = 2001
  and ((ss_hdemo_sk = hd_demo_sk and cd_demo_sk = ss_cdemo_sk and cd_marital_status = 'M' and ss_sales_price between 50.00 and 150.00 and hd_dep_count = 3)
    or (ss_hdemo_sk = hd_demo_sk and cd_demo_sk = ss_cdemo_sk and cd_marital_status = 'S' and ss_sales_price between 20.00 and 100.00 and hd_dep_count = 1))
  and ((ss_addr_sk = ca_address_sk and ca_country = 'United States' and ca_state in ('TX', 'OH') and ss_net_profit between 0 and 200)
    or (ss_addr_sk = ca_address_sk and ca_country = 'United States' and ca_state in ('TN', 'GA', 'CA') and ss_net_profit between -50 and 300))

-- name: q14
with cross_items as (
  select i_item_sk ss_item_sk
  from item,
       (select iss.i_brand_id brand_id, iss.i_class_id class_id, iss.i_category_id category_id
        from store_sales, item iss, date_dim d1
        where store_sales.tenant_id = $1 and iss.tenant_id = $1 and ss_item_sk = iss.i_item_sk and ss_sold_date_sk = d1.d_date_sk and d1.d_year between 1999 and 2001
        intersect
        select ics.i_brand_id, ics.i_class_id, ics.i_category_id
        from catalog_sales, item ics, date_dim d2
        where catalog_sales.tenant_id = $1 and ics.tenant_id = $1 and cs_item_sk = ics.i_item_sk and cs_sold_date_sk = d2.d_date_sk and d2.d_year between 1999 and 2001        intersect
        select iws.i_brand_id, iws.i_class_id, iws.i_category_id
        from web_sales, item iws, date_dim d3
        where web_sales.tenant_id = $1 and iws.tenant_id = $1 and ws_item_sk = iws.i_item_sk and ws_sold_date_sk = d3.d_date_sk and d3.d_year between 1999 and 2001) x
  where item.tenant_id = $1 and i_brand_id = brand_id and i_class_id = class_id and i_category_id = category_id),
avg_sales as (
  select avg(quantity * list_price) average_sales
  from (select ss_quantity quantity, ss_list_price list_price from store_sales, date_dim where tenant_id = $1 and ss_sold_date_sk = d_date_sk and d_year between 1999 and 2001
        union all
        select cs_quantity quantity, cs_list_price list_price from catalog_sales, date_dim where tenant_id = $1 and cs_sold_date_sk = d_date_sk and d_year between 1999 and 2001
        union all
        select ws_quantity quantity, ws_list_price list_price from web_sales, date_dim where tenant_id = $1 and ws_sold_date_sk = d_date_sk and d_year between 1999 and 2001) x)
select channel, i_brand_id, i_class_id, i_category_id, sum(sales), sum(number_sales)
from (select 'store' channel, i_brand_id, i_class_id, i_category_id, sum(ss_quantity * ss_list_price) sales, count(*) number_sales
      from store_sales, item, date_dim
      where store_sales.tenant_id = $1 and item.tenant_id = $1 and ss_item_sk in (select ss_item_sk from cross_items) and ss_item_sk = i_item_sk and ss_sold_date_sk = d_date_sk and d_year = 2001 and d_moy = 11
      group by i_brand_id, i_class_id, i_category_id
      having sum(ss_quantity * ss_list_price) > (select average_sales from avg_sales)
      union all
      select 'catalog' channel, i_brand_id, i_class_id, i_category_id, sum(cs_quantity * cs_list_price) sales, count(*) number_sales
      from catalog_sales, item, date_dim
      where catalog_sales.tenant_id = $1 and item.tenant_id = $1 and cs_item_sk in (select ss_item_sk from cross_items) and cs_item_sk = i_item_sk and cs_sold_date_sk = d_date_sk and d_year = 2001 and d_moy = 11
      group by i_brand_id, i_class_id, i_category_id
      having sum(cs_quantity * cs_list_price) > (select average_sales from avg_sales)
      union all
      select 'web' channel, i_brand_id, i_class_id, i_category_id, sum(ws_quantity * ws_list_price) sales, count(*) number_sales
      from web_sales, item, date_dim
      where web_sales.tenant_id = $1 and item.tenant_id = $1 and ws_item_sk in (select ss_item_sk from cross_items) and ws_item_sk = i_item_sk and ws_sold_date_sk = d_date_sk and d_year = 2001 and d_moy = 11
      group by i_brand_id, i_class_id, i_category_id
      having sum(ws_quantity * ws_list_price) > (select average_sales from avg_sales)) y
group by rollup (channel, i_brand_id, i_class_id, i_category_id)
order by channel, i_brand_id, i_class_id, i_category_id
limit 100

-- name: q15
select ca_zip, sum(cs_sales_price)
from catalog_sales, customer, customer_address, date_dim
where catalog_sales.tenant_id = customer.tenant_id and customer.tenant_id = customer_address.tenant_id and customer_address.tenant_id = $1
  and cs_bill_customer_sk = c_customer_sk and c_current_addr_sk = ca_address_sk
  and (substr(ca_zip, 1, 5) in ('35000', '35001') or ca_state in ('CA', 'GA') or cs_sales_price > 500)
  and cs_sold_date_sk = d_date_sk and d_qoy = 2 and d_year = 2001
group by ca_zip
order by ca_zip
limit 100

-- name: q16
select count(distinct cs_order_number) as "order count", sum(cs_ext_ship_cost) as "total shipping cost", sum(cs_net_profit) as "total net profit"
from catalog_sales cs1, date_dim, customer_address, call_center
where cs1.tenant_id = $1 and customer_address.tenant_id = cs1.tenant_id and call_center.tenant_id = cs1.tenant_id
  and d_date between '2001-02-01' and (cast('2001-02-01' as date) + interval '60 days') and cs1.cs_ship_date_sk = d_date_sk and cs1.cs_ship_addr_sk = ca_address_sk and ca_state = 'GA'
  and cs1.cs_call_center_sk = cc_call_center_sk
  and exists (select * from catalog_sales cs2 where cs2.tenant_id = cs1.tenant_id and cs1.cs_order_number = cs2.cs_order_number and cs1.cs_warehouse_sk <> cs2.cs_warehouse_sk)
  and not exists (select * from catalog_returns cr1 where cr1.tenant_id = cs1.tenant_id and cs1.cs_order_number = cr1.cr_order_number)
order by count(distinct cs_order_number)
limit 100

-- name: q17
select i_item_id, i_item_desc, s_state, count(ss_quantity) as store_sales_quantitycount, avg(ss_quantity) as store_sales_quantityave, stddev_samp(ss_quantity) as store_sales_quantitystdev,
       stddev_samp(ss_quantity) / avg(ss_quantity) as store_sales_quantitycov, count(sr_return_quantity) as store_returns_quantitycount
from store_sales, store_returns, catalog_sales, date_dim d1, date_dim d2, date_dim d3, store, item
where store_sales.tenant_id = $1 and store_returns.tenant_id = $1 and catalog_sales.tenant_id = $1 and store.tenant_id = $1 and item.tenant_id = $1
  and d1.d_year = 2001 and d1.d_date_sk = ss_sold_date_sk and i_item_sk = ss_item_sk and s_store_sk = ss_store_sk and ss_customer_sk = sr_customer_sk and ss_item_sk = sr_item_sk and ss_ticket_number = sr_ticket_number
  and sr_returned_date_sk = d2.d_date_sk and d2.d_year in (2001, 2002) and sr_customer_sk = cs_bill_customer_sk and sr_item_sk = cs_item_sk and cs_sold_date_sk = d3.d_date_sk and d3.d_quarter_name in ('2001Q1', '2001Q2', '2001Q3')
group by i_item_id, i_item_desc, s_state
order by i_item_id, i_item_desc, s_state
limit 100

-- name: q18
select i_item_id, ca_country, ca_state, ca_county, avg(cast(cs_quantity as decimal(12, 2))) agg1, avg(cast(cs_list_price as decimal(12, 2))) agg2, avg(cast(c_birth_year as decimal(12, 2))) agg6
from catalog_sales, customer_demographics cd1, customer_demographics cd2, customer, customer_address, date_dim, item
where catalog_sales.tenant_id = $1 and customer.tenant_id = $1 and customer_address.tenant_id = $1 and item.tenant_id = $1
  and cs_sold_date_sk = d_date_sk and cs_item_sk = i_item_sk and cs_bill_cdemo_sk = cd1.cd_demo_sk and cs_bill_customer_sk = c_customer_sk and cd1.cd_gender = 'F' and cd1.cd_education_status = 'Unknown'
  and c_current_cdemo_sk = cd2.cd_demo_sk and c_current_addr_sk = ca_address_sk and c_birth_month in (1, 6, 8, 9, 12, 2) and d_year = 1998 and ca_state in ('TN', 'GA', 'CA')
group by rollup (i_item_id, ca_country, ca_state, ca_county)
order by ca_country, ca_state, ca_county, i_item_id
limit 100

-- name: q19
select i_brand_id brand_id, i_brand brand, i_manufact_id, i_manufact, sum(ss_ext_sales_price) ext_price
from date_dim, store_sales, item, customer, customer_address, store
where store_sales.tenant_id = $1 and item.tenant_id = store_sales.tenant_id and customer.tenant_id = store_sales.tenant_id and customer_address.tenant_id = customer.tenant_id and store.tenant_id = store_sales.tenant_id
  and d_date_sk = ss_sold_date_sk and ss_item_sk = i_item_sk and i_manager_id = 8 and d_moy = 11 and d_year = 1998 and ss_customer_sk = c_customer_sk and c_current_addr_sk = ca_address_sk
  and substr(ca_zip, 1, 5) <> substr(s_zip, 1, 5) and ss_store_sk = s_store_sk
group by i_brand, i_brand_id, i_manufact_id, i_manufact
order by ext_price desc, i_brand, i_brand_id, i_manufact_id, i_manufact
limit 100

-- name: q20
select i_item_id, i_category, i_class, sum(cs_ext_sales_price) as itemrevenue, sum(cs_ext_sales_price) * 100 / sum(sum(cs_ext_sales_price)) over (partition by i_class) as revenueratio
from catalog_sales join item on cs_item_sk = i_item_sk and item.tenant_id = catalog_sales.tenant_id join date_dim on cs_sold_date_sk = d_date_sk
where catalog_sales.tenant_id = $1 and i_category in ('Books', 'Home', 'Jewelry') and d_date between date '1999-02-22' and date '1999-02-22' + 30
group by i_item_id, i_category, i_class
order by i_category, i_class, i_item_id, revenueratio
limit 100

-- name: q21
select *
from (select w_warehouse_name, i_item_id,
             sum(case when d_date < cast('2000-03-11' as date) then inv_quantity_on_hand else 0 end) as inv_before,
             sum(case when d_date >= cast('2000-03-11' as date) then inv_quantity_on_hand else 0 end) as inv_after
      from inventory, warehouse, item, date_dim
      where inventory.tenant_id = $1 and warehouse.tenant_id = $1 and item.tenant_id = $1 and i_current_price between 10 and 99 and i_item_sk = inv_item_sk and inv_warehouse_sk = w_warehouse_sk and inv_date_sk = d_date_sk
        and d_date between (cast('2000-03-11' as date) - interval '30 days') and (cast('2000-03-11' as date) + interval '30 days')
      group by w_warehouse_name, i_item_id) x
where (case when inv_before > 0 then inv_after::numeric / inv_before else null end) between 2.0 / 3.0 and 3.0 / 2.0
order by w_warehouse_name, i_item_id
limit 100

-- name: q22
select i_product_name, i_brand, i_class, i_category, avg(inv_quantity_on_hand) qoh
from inventory, date_dim, item
where inventory.tenant_id = $1 and item.tenant_id = inventory.tenant_id and inv_date_sk = d_date_sk and inv_item_sk = i_item_sk and d_month_seq between 1200 and 1200 + 11
group by rollup (i_product_name, i_brand, i_class, i_category)
order by qoh, i_product_name, i_brand, i_class, i_category
limit 100

-- name: q23
with frequent_ss_items as (
  select substr(i_item_desc, 1, 30) itemdesc, i_item_sk item_sk, d_date solddate, count(*) cnt
  from store_sales, date_dim, item
  where store_sales.tenant_id = $1 and item.tenant_id = $1 and ss_sold_date_sk = d_date_sk and ss_item_sk = i_item_sk and d_year in (1999, 2000, 2001)
  group by substr(i_item_desc, 1, 30), i_item_sk, d_date
  having count(*) >= 1),
max_store_sales as (
  select max(csales) tpcds_cmax
  from (select c_customer_sk, sum(ss_quantity * ss_sales_price) csales
        from store_sales, customer, date_dim
        where store_sales.tenant_id = $1 and customer.tenant_id = $1 and ss_customer_sk = c_customer_sk and ss_sold_date_sk = d_date_sk and d_year in (1999, 2000, 2001)
        group by c_customer_sk) x),
best_ss_customer as (
  select c_customer_sk, sum(ss_quantity * ss_sales_price) ssales
  from store_sales, customer
  where store_sales.tenant_id = $1 and customer.tenant_id = $1 and ss_customer_sk = c_customer_sk
  group by c_customer_sk
  having sum(ss_quantity * ss_sales_price) > (50 / 100.0) * (select * from max_store_sales))
select sum(sales)
from (select cs_quantity * cs_list_price sales
      from catalog_sales, date_dim
      where tenant_id = $1 and d_year = 2000 and d_moy = 2 and cs_sold_date_sk = d_date_sk and cs_item_sk in (select item_sk from frequent_ss_items) and cs_bill_customer_sk in (select c_customer_sk from best_ss_customer)
      union all
      select ws_quantity * ws_list_price sales
      from web_sales, date_dim
      where tenant_id = $1 and d_year = 2000 and d_moy = 2 and ws_sold_date_sk = d_date_sk and ws_item_sk in (select item_sk from frequent_ss_items) and ws_bill_customer_sk in (select c_customer_sk from best_ss_customer)) y
limit 100

-- name: q24
with ssales as (
  select c_last_name, c_first_name, s_store_name, ca_state, s_state, i_color, i_current_price, i_manager_id, i_units, i_size, sum(ss_net_paid) netpaid
  from store_sales, store_returns, store, item, customer, customer_address
  where store_sales.tenant_id = $1 and store_returns.tenant_id = store_sales.tenant_id and store.tenant_id = store_sales.tenant_id and item.tenant_id = store_sales.tenant_id and customer.tenant_id = store_sales.tenant_id and customer_address.tenant_id = store_sales.tenant_id
    and ss_ticket_number = sr_ticket_number and ss_item_sk = sr_item_sk and ss_customer_sk = c_customer_sk and ss_item_sk = i_item_sk and ss_store_sk = s_store_sk and c_current_addr_sk = ca_address_sk
    and c_birth_country <> upper(ca_country) and s_market_id = 8
  group by c_last_name, c_first_name, s_store_name, ca_state, s_state, i_color, i_current_price, i_manager_id, i_units, i_size)
select c_last_name, c_first_name, s_store_name, sum(netpaid) paid
from ssales
where i_color = 'peach'
group by c_last_name, c_first_name, s_store_name
having sum(netpaid) > (select 0.05 * avg(netpaid) from ssales)
order by c_last_name, c_first_name, s_store_name

-- name: q25
select i_item_id, i_item_desc, s_store_id, s_store_name, sum(ss_net_profit) as store_sales_profit, sum(sr_net_loss) as store_returns_loss, sum(cs_net_profit) as catalog_sales_profit
from store_sales
join store_returns on ss_customer_sk = sr_customer_sk and ss_item_sk = sr_item_sk and ss_ticket_number = sr_ticket_number and store_sales.tenant_id = store_returns.tenant_id
join catalog_sales on sr_customer_sk = cs_bill_customer_sk and sr_item_sk = cs_item_sk and catalog_sales.tenant_id = store_returns.tenant_id
join date_dim d1 on d1.d_date_sk = ss_sold_date_sk
join date_dim d2 on sr_returned_date_sk = d2.d_date_sk
join date_dim d3 on cs_sold_date_sk = d3.d_date_sk
join store on s_store_sk = ss_store_sk and store.tenant_id = store_sales.tenant_id
join item on i_item_sk = ss_item_sk and item.tenant_id = store_sales.tenant_id
where store_sales.tenant_id = $1 and d1.d_moy = 4 and d2.d_moy between 4 and 10 and d3.d_moy between 4 and 10
group by i_item_id, i_item_desc, s_store_id, s_store_name
order by i_item_id, i_item_desc, s_store_id, s_store_name
limit 100

-- name: q26
select i_item_id, avg(cs_quantity) agg1, avg(cs_list_price) agg2, avg(cs_coupon_amt) agg3, avg(cs_sales_price) agg4
from catalog_sales, customer_demographics, date_dim, item, promotion
where catalog_sales.tenant_id = $1 and item.tenant_id = $1 and promotion.tenant_id = $1 and cs_sold_date_sk = d_date_sk and cs_item_sk = i_item_sk and cs_bill_cdemo_sk = cd_demo_sk and cs_promo_sk = p_promo_sk
  and cd_gender = 'M' and cd_marital_status = 'S' and cd_education_status = 'College' and (p_channel_email = 'N' or p_channel_event = 'N') and d_year = 2000
group by i_item_id
order by i_item_id
limit 100

-- name: q27
select i_item_id, s_state, grouping(s_state) g_state, avg(ss_quantity) agg1, avg(ss_list_price) agg2
from store_sales, customer_demographics, date_dim, store, item
where store_sales.tenant_id = $1 and store.tenant_id = $1 and item.tenant_id = $1 and ss_sold_date_sk = d_date_sk and ss_item_sk = i_item_sk and ss_store_sk = s_store_sk and ss_cdemo_sk = cd_demo_sk
  and cd_gender = 'M' and cd_marital_status = 'S' and d_year = 2002 and s_state in ('TN', 'TN', 'GA')
group by rollup (i_item_id, s_state)
order by i_item_id, s_state
limit 100

-- name: q28
select *
from (select avg(ss_list_price) b1_lp, count(ss_list_price) b1_cnt, count(distinct ss_list_price) b1_cntd from store_sales where tenant_id = $1 and ss_quantity between 0 and 5 and (ss_list_price between 8 and 18 or ss_coupon_amt between 459 and 1459 or ss_wholesale_cost between 10 and 30)) b1,
     (select avg(ss_list_price) b2_lp, count(ss_list_price) b2_cnt, count(distinct ss_list_price) b2_cntd from store_sales where tenant_id = $1 and ss_quantity between 6 and 10 and (ss_list_price between 90 and 100 or ss_coupon_amt between 0 and 2)) b2,
     (select avg(ss_list_price) b3_lp, count(ss_list_price) b3_cnt, count(distinct ss_list_price) b3_cntd from store_sales where tenant_id = $1 and ss_quantity between 11 and 15 and ss_list_price between 14 and 152) b3
limit 100

-- name: q29
select i_item_id, i_item_desc, s_store_id, s_store_name, max(ss_quantity), max(sr_return_quantity), max(cs_quantity)
from store_sales, store_returns, catalog_sales, date_dim d1, date_dim d2, date_dim d3, store, item
where store_sales.tenant_id = $1 and store_returns.tenant_id = $1 and catalog_sales.tenant_id = $1 and store.tenant_id = $1 and item.tenant_id = $1 and d1.d_moy = 9 and d1.d_date_sk = ss_sold_date_sk and i_item_sk = ss_item_sk and s_store_sk = ss_store_sk
  and ss_customer_sk = sr_customer_sk and ss_item_sk = sr_item_sk and ss_ticket_number = sr_ticket_number and sr_returned_date_sk = d2.d_date_sk and d2.d_moy between 9 and 12
  and sr_customer_sk = cs_bill_customer_sk and sr_item_sk = cs_item_sk and cs_sold_date_sk = d3.d_date_sk and d3.d_year in (1999, 2000, 2001)
group by i_item_id, i_item_desc, s_store_id, s_store_name
order by i_item_id, i_item_desc, s_store_id, s_store_name
limit 100

-- name: q30
with customer_total_return as (
  select wr_returning_customer_sk as ctr_customer_sk, ca_state as ctr_state, sum(wr_return_amt) as ctr_total_return
  from web_returns, date_dim, customer_address
  where web_returns.tenant_id = $1 and customer_address.tenant_id = web_returns.tenant_id and wr_returned_date_sk = d_date_sk and d_year = 2000 and wr_returning_addr_sk = ca_address_sk
  group by wr_returning_customer_sk, ca_state)
select c_customer_id, c_salutation, c_first_name, c_last_name, c_preferred_cust_flag, ctr_total_return
from customer_total_return ctr1, customer_address, customer
where customer_address.tenant_id = $1 and customer.tenant_id = $1
  and ctr1.ctr_total_return >= (select avg(ctr_total_return) * 0.9 from customer_total_return ctr2 where ctr1.ctr_state = ctr2.ctr_state)
  and ca_address_sk = c_current_addr_sk and ctr1.ctr_customer_sk = c_customer_sk
order by c_customer_id, c_salutation, c_first_name, c_last_name, c_preferred_cust_flag, ctr_total_return
limit 100

-- name: q31
with ss as (select ca_county, d_qoy, d_year, sum(ss_ext_sales_price) as store_sales from store_sales, date_dim, customer_address where store_sales.tenant_id = $1 and customer_address.tenant_id = $1 and ss_sold_date_sk = d_date_sk and ss_addr_sk = ca_address_sk group by ca_county, d_qoy, d_year),
     ws as (select ca_county, d_qoy, d_year, sum(ws_ext_sales_price) as web_sales from web_sales, date_dim, customer_address where web_sales.tenant_id = $1 and customer_address.tenant_id = $1 and ws_sold_date_sk = d_date_sk and ws_bill_addr_sk = ca_address_sk group by ca_county, d_qoy, d_year)
select ss1.ca_county, ss1.d_year, ws2.web_sales / ws1.web_sales web_q1_q2_increase, ss2.store_sales / ss1.store_sales store_q1_q2_increase
from ss ss1, ss ss2, ws ws1, ws ws2
where ss1.d_qoy = 1 and ss1.d_year = 2000 and ss1.ca_county = ss2.ca_county and ss2.d_qoy = 2 and ss2.d_year = 2000 and ss1.ca_county = ws1.ca_county and ws1.d_qoy = 1 and ws1.d_year = 2000 and ws1.ca_county = ws2.ca_county and ws2.d_qoy = 2 and ws2.d_year = 2000
  and case when ws1.web_sales > 0 then ws2.web_sales / ws1.web_sales else null end > case when ss1.store_sales > 0 then ss2.store_sales / ss1.store_sales * 0.1 else null end
order by ss1.ca_county

-- name: q32
select sum(cs_ext_discount_amt) as "excess discount amount"
from catalog_sales, item, date_dim
where catalog_sales.tenant_id = $1 and item.tenant_id = $1 and i_manufact_id = 107 and i_item_sk = cs_item_sk and d_date between date '2000-01-27' and date '2000-01-27' + interval '90 days' and d_date_sk = cs_sold_date_sk
  and cs_ext_discount_amt > (select 0.3 * avg(cs_ext_discount_amt) from catalog_sales, date_dim where catalog_sales.tenant_id = item.tenant_id and cs_item_sk = i_item_sk and d_date between date '2000-01-27' and date '2000-01-27' + interval '90 days' and d_date_sk = cs_sold_date_sk)
limit 100

-- name: q33
with ss as (
  select i_manufact_id, sum(ss_ext_sales_price) total_sales
  from store_sales, date_dim, customer_address, item
  where store_sales.tenant_id = $1 and customer_address.tenant_id = $1 and item.tenant_id = $1 and i_manufact_id in (select i_manufact_id from item where tenant_id = $1 and i_category in ('Electronics')) and ss_item_sk = i_item_sk and ss_sold_date_sk = d_date_sk and d_year = 1998 and d_moy = 5 and ss_addr_sk = ca_address_sk and ca_gmt_offset = -5
  group by i_manufact_id),
ws as (
  select i_manufact_id, sum(ws_ext_sales_price) total_sales
  from web_sales, date_dim, customer_address, item
  where web_sales.tenant_id = $1 and customer_address.tenant_id = $1 and item.tenant_id = $1 and i_manufact_id in (select i_manufact_id from item where tenant_id = $1 and i_category in ('Electronics')) and ws_item_sk = i_item_sk and ws_sold_date_sk = d_date_sk and d_year = 1998 and d_moy = 5 and ws_bill_addr_sk = ca_address_sk and ca_gmt_offset = -5
  group by i_manufact_id)
select i_manufact_id, sum(total_sales) total_sales
from (select * from ss union all select * from ws) tmp1
group by i_manufact_id
order by total_sales
limit 100
