-- Hibernate: short aliases o1_0, fetch joins, `fetch first ? rows only`, tenant filters in the ON of joins, case and count distinct.

-- name: entity-load
select o1_0.id,o1_0.tenant_id,o1_0.customer_id,o1_0.placed_at,o1_0.status,o1_0.total from orders o1_0 where o1_0.id=7 and o1_0.tenant_id=$1

-- name: fetch-join
select c1_0.id,c1_0.tenant_id,c1_0.name,o1_0.customer_id,o1_0.id,o1_0.total from customers c1_0 left join orders o1_0 on c1_0.id=o1_0.customer_id and c1_0.tenant_id=o1_0.tenant_id where c1_0.tenant_id=$1 order by c1_0.id

-- name: tenant-filter-in-both
select c1_0.id,o1_0.id,i1_0.id from customers c1_0 join orders o1_0 on c1_0.id=o1_0.customer_id and o1_0.tenant_id = $1 left join order_items i1_0 on o1_0.id=i1_0.order_id and i1_0.tenant_id = $1 where c1_0.tenant_id = $1

-- name: page
select o1_0.id,o1_0.status from orders o1_0 where o1_0.tenant_id=$1 and o1_0.status in ('paid','shipped') order by o1_0.placed_at desc offset 20 rows fetch first 10 rows only

-- name: page-count
select count(o1_0.id) from orders o1_0 where o1_0.tenant_id=$1 and o1_0.total between 10 and 500

-- name: dto-with-group-by
select c1_0.country,count(distinct c1_0.id),coalesce(sum(o1_0.total),0) from customers c1_0 left join orders o1_0 on o1_0.customer_id=c1_0.id and o1_0.tenant_id=c1_0.tenant_id where c1_0.tenant_id=$1 group by c1_0.country having count(distinct c1_0.id)>1 order by 3 desc

-- name: exists-subquery
select c1_0.id from customers c1_0 where c1_0.tenant_id=$1 and exists(select 1 from orders o1_0 where o1_0.customer_id=c1_0.id and o1_0.tenant_id=c1_0.tenant_id and o1_0.status='paid')

-- name: all-and-any-quantifiers
select p1_0.id from products p1_0 where p1_0.tenant_id=$1 and p1_0.price>=all(select p2_0.price from products p2_0 where p2_0.tenant_id=$1 and p2_0.category_id=p1_0.category_id) and p1_0.id=any(select i1_0.product_id from order_items i1_0 where i1_0.tenant_id=$1)

-- name: member-of-collection
select o1_0.id from orders o1_0 where o1_0.tenant_id=$1 and 2 in (select t1_0.tag_id from order_tags t1_0 where o1_0.id=t1_0.order_id and o1_0.tenant_id=t1_0.tenant_id)

-- name: is-empty
select c1_0.id,c1_0.name from customers c1_0 where c1_0.tenant_id=$1 and not exists(select 1 from tickets t1_0 where c1_0.id=t1_0.customer_id and t1_0.tenant_id=c1_0.tenant_id)

-- name: implicit-join
select t1_0.id,u1_0.name from tickets t1_0 left join users u1_0 on u1_0.id=t1_0.assignee_id and u1_0.tenant_id=t1_0.tenant_id join customers c1_0 on c1_0.id=t1_0.customer_id and c1_0.tenant_id=t1_0.tenant_id where t1_0.tenant_id=$1 and c1_0.segment='smb' and lower(u1_0.name) like '%user%' escape ''

-- name: cte-and-window
with w1 (customer_id,total,r) as (select o1_0.customer_id,o1_0.total,row_number() over(partition by o1_0.customer_id order by o1_0.total desc) from orders o1_0 where o1_0.tenant_id=$1) select w1_0.customer_id,w1_0.total from w1 w1_0 where w1_0.r<=2

-- name: key-values-row-in
select i1_0.id from order_items i1_0 where i1_0.tenant_id=$1 and (i1_0.order_id,i1_0.product_id) in ((1,2),(3,4),(5,6))

-- name: extract-and-timestampdiff
select o1_0.id,extract(year from o1_0.placed_at),(extract(epoch from o1_0.shipped_at-o1_0.placed_at)/3600) from orders o1_0 where o1_0.tenant_id=$1 and o1_0.shipped_at is not null and o1_0.placed_at<localtimestamp

-- name: cast-numbers
select o1_0.id,cast(o1_0.total as varchar(255)),cast(o1_0.total as numeric(19,2)),o1_0.status||' ('||o1_0.currency||')' from orders o1_0 where o1_0.tenant_id=cast($1 as varchar)

-- name: array-bound-in-clause
select o1_0.id from orders o1_0 where o1_0.tenant_id= ANY($1) and o1_0.id=any(array[1,2,3])
