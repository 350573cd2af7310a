-- The 22 questions of TPC-H in our own words, with an integer tenant key: half of them with the key pinned at every table, half with it
-- carried through the joins.

-- name: q01-pricing-summary
select l_returnflag, l_linestatus, sum(l_quantity) as sum_qty, sum(l_extendedprice) as sum_base_price,
       sum(l_extendedprice * (1 - l_discount)) as sum_disc_price, sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) as sum_charge,
       avg(l_quantity) as avg_qty, avg(l_extendedprice) as avg_price, avg(l_discount) as avg_disc, count(*) as count_order
from lineitem
where l_shipdate <= date '1998-12-01' - interval '90' day and tenant_id = $1
group by l_returnflag, l_linestatus
order by l_returnflag, l_linestatus

-- name: q02-minimum-cost-supplier
select s.s_acctbal, s.s_name, n.n_name, p.p_partkey, p.p_mfgr, s.s_address, s.s_phone, s.s_comment
from part p, supplier s, partsupp ps, nation n, region r
where p.tenant_id = $1 and ps.tenant_id = p.tenant_id and s.tenant_id = ps.tenant_id
  and p.p_partkey = ps.ps_partkey and s.s_suppkey = ps.ps_suppkey and p.p_type like '%BRASS'
  and s.s_nationkey = n.n_nationkey and n.n_regionkey = r.r_regionkey and r.r_name = 'EUROPE'
  and ps.ps_supplycost = (
    select min(ps2.ps_supplycost)
    from partsupp ps2, supplier s2, nation n2, region r2
    where ps2.tenant_id = p.tenant_id and s2.tenant_id = ps2.tenant_id and p.p_partkey = ps2.ps_partkey and s2.s_suppkey = ps2.ps_suppkey
      and s2.s_nationkey = n2.n_nationkey and n2.n_regionkey = r2.r_regionkey and r2.r_name = 'EUROPE')
order by s.s_acctbal desc, n.n_name, s.s_name, p.p_partkey
limit 100

-- name: q03-shipping-priority
select l.l_orderkey, sum(l.l_extendedprice * (1 - l.l_discount)) as revenue, o.o_orderdate, o.o_shippriority
from customer c, orders o, lineitem l
where c.tenant_id = $1 and o.tenant_id = $1 and l.tenant_id = $1
  and c.c_mktsegment = 'BUILDING' and c.c_custkey = o.o_custkey and l.l_orderkey = o.o_orderkey
  and o.o_orderdate < date '1995-03-15' and l.l_shipdate > date '1994-03-15'
group by l.l_orderkey, o.o_orderdate, o.o_shippriority
order by revenue desc, o.o_orderdate
limit 10

-- name: q04-order-priority-checking
select o_orderpriority, count(*) as order_count
from orders
where tenant_id = $1 and o_orderdate >= date '1993-07-01' and o_orderdate < date '1993-07-01' + interval '3' month
  and exists (select * from lineitem where lineitem.tenant_id = orders.tenant_id and l_orderkey = o_orderkey and l_commitdate < l_receiptdate)
group by o_orderpriority
order by o_orderpriority

-- name: q05-local-supplier-volume
select n_name, sum(l_extendedprice * (1 - l_discount)) as revenue
from customer c
join orders o on c.c_custkey = o.o_custkey and c.tenant_id = o.tenant_id
join lineitem l on l.l_orderkey = o.o_orderkey and l.tenant_id = o.tenant_id
join supplier s on l.l_suppkey = s.s_suppkey and c.c_nationkey = s.s_nationkey and s.tenant_id = l.tenant_id
join nation on s_nationkey = n_nationkey
join region on n_regionkey = r_regionkey
where c.tenant_id = $1 and r_name = 'EUROPE' and o_orderdate >= date '1994-01-01' and o_orderdate < date '1994-01-01' + interval '1' year
group by n_name
order by revenue desc

-- name: q06-forecast-revenue-change
select sum(l_extendedprice * l_discount) as revenue
from lineitem
where tenant_id = $1 and l_shipdate >= date '1994-01-01' and l_shipdate < date '1994-01-01' + interval '1' year and l_discount between 0.06 - 0.01 and 0.06 + 0.01 and l_quantity < 24

-- name: q07-volume-shipping
select supp_nation, cust_nation, l_year, sum(volume) as revenue
from (
  select n1.n_name as supp_nation, n2.n_name as cust_nation, extract(year from l_shipdate) as l_year, l_extendedprice * (1 - l_discount) as volume
  from supplier, lineitem, orders, customer, nation n1, nation n2
  where supplier.tenant_id = $1 and lineitem.tenant_id = $1 and orders.tenant_id = $1 and customer.tenant_id = $1
    and s_suppkey = l_suppkey and o_orderkey = l_orderkey and c_custkey = o_custkey and s_nationkey = n1.n_nationkey and c_nationkey = n2.n_nationkey
    and ((n1.n_name = 'FRANCE' and n2.n_name = 'GERMANY') or (n1.n_name = 'GERMANY' and n2.n_name = 'FRANCE'))
    and l_shipdate between date '1993-01-01' and date '1996-12-31'
) as shipping
group by supp_nation, cust_nation, l_year
order by supp_nation, cust_nation, l_year

-- name: q08-national-market-share
select o_year, sum(case when nation = 'BRAZIL' then volume else 0 end) / sum(volume) as mkt_share
from (
  select extract(year from o.o_orderdate) as o_year, l.l_extendedprice * (1 - l.l_discount) as volume, n2.n_name as nation, l.tenant_id as tenant_id
  from lineitem l
  join part p on p.p_partkey = l.l_partkey and p.tenant_id = l.tenant_id
  join supplier s on s.s_suppkey = l.l_suppkey and s.tenant_id = l.tenant_id
  join orders o on o.o_orderkey = l.l_orderkey and o.tenant_id = l.tenant_id
  join customer c on c.c_custkey = o.o_custkey and c.tenant_id = o.tenant_id
  join nation n1 on n1.n_nationkey = c.c_nationkey
  join region r on r.r_regionkey = n1.n_regionkey
  join nation n2 on n2.n_nationkey = s.s_nationkey
  where r.r_name = 'AMERICA' and o.o_orderdate between date '1993-01-01' and date '1996-12-31' and p.p_type = 'ECONOMY ANODIZED STEEL'
) as all_nations
where all_nations.tenant_id = $1
group by o_year
order by o_year

-- name: q09-product-type-profit
select nation, o_year, sum(amount) as sum_profit
from (
  select n_name as nation, extract(year from o_orderdate) as o_year, l_extendedprice * (1 - l_discount) - ps_supplycost * l_quantity as amount
  from part, supplier, lineitem, partsupp, orders, nation
  where part.tenant_id = $1 and supplier.tenant_id = part.tenant_id and lineitem.tenant_id = part.tenant_id and partsupp.tenant_id = part.tenant_id and orders.tenant_id = part.tenant_id
    and s_suppkey = l_suppkey and ps_suppkey = l_suppkey and ps_partkey = l_partkey and p_partkey = l_partkey and o_orderkey = l_orderkey and s_nationkey = n_nationkey and p_name like '%green%'
) as profit
group by nation, o_year
order by nation, o_year desc

-- name: q10-returned-item-reporting
select c.c_custkey, c.c_name, sum(l.l_extendedprice * (1 - l.l_discount)) as revenue, c.c_acctbal, n.n_name, c.c_address, c.c_phone, c.c_comment
from customer c, orders o, lineitem l, nation n
where c.tenant_id = o.tenant_id and o.tenant_id = l.tenant_id and l.tenant_id = $1
  and c.c_custkey = o.o_custkey and l.l_orderkey = o.o_orderkey and o.o_orderdate >= date '1993-10-01' and o.o_orderdate < date '1993-10-01' + interval '3 months'
  and l.l_returnflag = 'R' and c.c_nationkey = n.n_nationkey
group by c.c_custkey, c.c_name, c.c_acctbal, c.c_phone, n.n_name, c.c_address, c.c_comment
order by revenue desc
limit 20

-- name: q11-important-stock
select ps_partkey, sum(ps_supplycost * ps_availqty) as value
from partsupp, supplier, nation
where partsupp.tenant_id = $1 and supplier.tenant_id = $1 and ps_suppkey = s_suppkey and s_nationkey = n_nationkey and n_name = 'GERMANY'
group by ps_partkey
having sum(ps_supplycost * ps_availqty) > (
  select sum(ps_supplycost * ps_availqty) * 0.0001
  from partsupp, supplier, nation
  where partsupp.tenant_id = $1 and supplier.tenant_id = $1 and ps_suppkey = s_suppkey and s_nationkey = n_nationkey and n_name = 'GERMANY')
order by value desc

-- name: q12-shipping-modes
select l_shipmode,
       sum(case when o_orderpriority = '1-URGENT' or o_orderpriority = '2-HIGH' then 1 else 0 end) as high_line_count,
       sum(case when o_orderpriority <> '1-URGENT' and o_orderpriority <> '2-HIGH' then 1 else 0 end) as low_line_count
from orders join lineitem using (tenant_id)
where tenant_id = $1 and o_orderkey = l_orderkey and l_shipmode in ('MAIL', 'SHIP') and l_commitdate < l_receiptdate and l_shipdate < l_commitdate
  and l_receiptdate >= date '1994-01-01' and l_receiptdate < date '1994-01-01' + interval '1' year
group by l_shipmode
order by l_shipmode

-- name: q13-customer-distribution
select c_count, count(*) as custdist
from (
  select c.c_custkey, count(o.o_orderkey)
  from customer c left outer join orders o on c.c_custkey = o.o_custkey and o.tenant_id = c.tenant_id and o.o_comment not like '%special%requests%'
  where c.tenant_id = $1
  group by c.c_custkey
) as c_orders (c_custkey, c_count)
group by c_count
order by custdist desc, c_count desc

-- name: q14-promotion-effect
select 100.00 * sum(case when p_type like 'PROMO%' then l_extendedprice * (1 - l_discount) else 0 end) / sum(l_extendedprice * (1 - l_discount)) as promo_revenue
from lineitem, part
where (lineitem.tenant_id, part.tenant_id) = ($1, $1) and l_partkey = p_partkey and l_shipdate >= date '1995-09-01' and l_shipdate < date '1995-09-01' + interval '1' month

-- name: q15-top-supplier
with revenue (supplier_no, total_revenue) as (
  select l_suppkey, sum(l_extendedprice * (1 - l_discount))
  from lineitem
  where tenant_id = $1 and l_shipdate >= date '1996-01-01' and l_shipdate < date '1996-01-01' + interval '3' month
  group by l_suppkey)
select s_suppkey, s_name, s_address, s_phone, total_revenue
from supplier, revenue
where supplier.tenant_id = $1 and s_suppkey = supplier_no and total_revenue = (select max(total_revenue) from revenue)
order by s_suppkey

-- name: q16-parts-supplier-relationship
select p_brand, p_type, p_size, count(distinct ps_suppkey) as supplier_cnt
from partsupp, part
where partsupp.tenant_id = $1 and part.tenant_id = partsupp.tenant_id and p_partkey = ps_partkey and p_brand <> 'Brand#45' and p_type not like 'MEDIUM POLISHED%'
  and p_size in (9, 14, 2, 3, 4, 5, 19, 10)
  and ps_suppkey not in (select s_suppkey from supplier where supplier.tenant_id = $1 and s_comment like '%Customer%Complaints%')
group by p_brand, p_type, p_size
order by supplier_cnt desc, p_brand, p_type, p_size

-- name: q17-small-quantity-order
select sum(l_extendedprice) / 7.0 as avg_yearly
from lineitem l, part p
where l.tenant_id = $1 and p.tenant_id = $1 and p.p_partkey = l.l_partkey and p.p_container = 'MED BOX'
  and l.l_quantity < (select 0.9 * avg(l2.l_quantity) from lineitem l2 where l2.tenant_id = p.tenant_id and l2.l_partkey = p.p_partkey)

-- name: q18-large-volume-customer
select c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice, sum(l_quantity)
from customer, orders, lineitem
where customer.tenant_id = $1 and orders.tenant_id = customer.tenant_id and lineitem.tenant_id = orders.tenant_id
  and (orders.tenant_id, o_orderkey) in (select tenant_id, l_orderkey from lineitem where tenant_id = $1 group by tenant_id, l_orderkey having sum(l_quantity) > 100)
  and c_custkey = o_custkey and o_orderkey = l_orderkey
group by c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice
order by o_totalprice desc, o_orderdate
limit 100

-- name: q19-discounted-revenue
select sum(l_extendedprice * (1 - l_discount)) as revenue
from lineitem, part
where (lineitem.tenant_id = $1 and part.tenant_id = $1 and p_partkey = l_partkey and p_brand = 'Brand#12' and p_container in ('SM CASE', 'SM BOX') and l_quantity >= 1 and l_quantity <= 1 + 10 and p_size between 1 and 5 and l_shipmode in ('AIR', 'AIR REG'))
   or (lineitem.tenant_id = $1 and part.tenant_id = $1 and p_partkey = l_partkey and p_brand = 'Brand#23' and p_container in ('MED BAG', 'MED BOX') and l_quantity between 10 and 40 and p_size between 1 and 10 and l_shipinstruct = 'DELIVER IN PERSON')
   or (lineitem.tenant_id = part.tenant_id and part.tenant_id = $1 and p_partkey = l_partkey and p_brand = 'Brand#31' and p_size between 1 and 15)

-- name: q20-potential-part-promotion
select s_name, s_address
from supplier, nation
where supplier.tenant_id = $1 and s_suppkey in (
    select ps_suppkey
    from partsupp
    where partsupp.tenant_id = $1
      and ps_partkey in (select p_partkey from part where part.tenant_id = $1 and p_name like 'forest%')
      and ps_availqty > (select 0.5 * sum(l_quantity) from lineitem where lineitem.tenant_id = partsupp.tenant_id and l_partkey = ps_partkey and l_suppkey = ps_suppkey and l_shipdate >= date '1994-01-01' and l_shipdate < date '1994-01-01' + interval '1' year))
  and s_nationkey = n_nationkey and n_name = 'CANADA'
order by s_name

-- name: q21-suppliers-who-kept-orders-waiting
select s_name, count(*) as numwait
from supplier, lineitem l1, orders, nation
where supplier.tenant_id = $1 and l1.tenant_id = $1 and orders.tenant_id = $1 and s_suppkey = l1.l_suppkey and o_orderkey = l1.l_orderkey and o_orderstatus = 'F' and l1.l_receiptdate > l1.l_commitdate
  and exists (select * from lineitem l2 where l2.tenant_id = l1.tenant_id and l2.l_orderkey = l1.l_orderkey and l2.l_suppkey <> l1.l_suppkey)
  and not exists (select * from lineitem l3 where l3.tenant_id = l1.tenant_id and l3.l_orderkey = l1.l_orderkey and l3.l_suppkey <> l1.l_suppkey and l3.l_receiptdate > l3.l_commitdate + 30)
  and s_nationkey = n_nationkey and n_name = 'SAUDI ARABIA'
group by s_name
order by numwait desc, s_name
limit 100

-- name: q22-global-sales-opportunity
select cntrycode, count(*) as numcust, sum(c_acctbal) as totacctbal
from (
  select substring(c_phone from 1 for 2) as cntrycode, c_acctbal
  from customer
  where tenant_id = $1 and substring(c_phone from 1 for 2) in ('13', '31', '23', '29', '30', '18', '17')
    and c_acctbal > (select avg(c_acctbal) from customer where tenant_id = $1 and c_acctbal > 0.00 and substring(c_phone from 1 for 2) in ('13', '31', '23', '29', '30', '18', '17'))
    and not exists (select * from orders where orders.tenant_id = customer.tenant_id and o_custkey = c_custkey)
) as custsale
group by cntrycode
order by cntrycode
