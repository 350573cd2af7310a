-- What language models write when they are asked about revenue, growth, cohorts, retention and funnels.

-- name: monthly-revenue-with-growth
WITH monthly_revenue AS (
    SELECT
        DATE_TRUNC('month', o.placed_at) AS month,
        SUM(o.total) AS revenue
    FROM orders o
    WHERE o.tenant_id = $1
      AND o.status IN ('paid', 'shipped')
    GROUP BY DATE_TRUNC('month', o.placed_at)
)
SELECT
    TO_CHAR(month, 'YYYY-MM') AS month,
    revenue,
    LAG(revenue) OVER (ORDER BY month) AS previous_month,
    ROUND((revenue - LAG(revenue) OVER (ORDER BY month)) / NULLIF(LAG(revenue) OVER (ORDER BY month), 0) * 100, 2) AS growth_pct
FROM monthly_revenue
ORDER BY month;

-- name: cohort-retention
WITH cohorts AS (
    SELECT customer_id, DATE_TRUNC('month', MIN(placed_at)) AS cohort_month
    FROM orders
    WHERE tenant_id = $1
    GROUP BY customer_id
),
activity AS (
    SELECT DISTINCT o.customer_id, DATE_TRUNC('month', o.placed_at) AS activity_month
    FROM orders o
    WHERE o.tenant_id = $1
),
cohort_size AS (
    SELECT cohort_month, COUNT(*) AS customers FROM cohorts GROUP BY cohort_month
)
SELECT
    c.cohort_month,
    (EXTRACT(YEAR FROM AGE(a.activity_month, c.cohort_month)) * 12 + EXTRACT(MONTH FROM AGE(a.activity_month, c.cohort_month)))::int AS month_number,
    COUNT(DISTINCT a.customer_id) AS active,
    ROUND(COUNT(DISTINCT a.customer_id)::numeric / s.customers * 100, 1) AS retention
FROM cohorts c
JOIN activity a ON a.customer_id = c.customer_id
JOIN cohort_size s ON s.cohort_month = c.cohort_month
GROUP BY c.cohort_month, month_number, s.customers
ORDER BY c.cohort_month, month_number;

-- name: funnel-with-filter
SELECT
    COUNT(DISTINCT user_id) FILTER (WHERE name = 'visit') AS visits,
    COUNT(DISTINCT user_id) FILTER (WHERE name = 'signup') AS signups,
    COUNT(DISTINCT user_id) FILTER (WHERE name = 'purchase') AS purchases,
    ROUND(100.0 * COUNT(DISTINCT user_id) FILTER (WHERE name = 'purchase') / NULLIF(COUNT(DISTINCT user_id) FILTER (WHERE name = 'visit'), 0), 2) AS conversion
FROM events
WHERE tenant_id = $1 AND occurred_at >= TIMESTAMP '2024-03-01' AND occurred_at < TIMESTAMP '2024-04-01';

-- name: ordered-funnel-with-lateral
SELECT v.user_id, v.visited_at, s.signed_up_at, p.bought_at
FROM (SELECT user_id, MIN(occurred_at) AS visited_at FROM events WHERE tenant_id = $1 AND name = 'visit' GROUP BY user_id) v
LEFT JOIN LATERAL (
    SELECT MIN(e.occurred_at) AS signed_up_at FROM events e
    WHERE e.tenant_id = $1 AND e.user_id = v.user_id AND e.name = 'signup' AND e.occurred_at >= v.visited_at
) s ON TRUE
LEFT JOIN LATERAL (
    SELECT MIN(e.occurred_at) AS bought_at FROM events e
    WHERE e.tenant_id = $1 AND e.user_id = v.user_id AND e.name = 'purchase' AND e.occurred_at >= s.signed_up_at
) p ON TRUE;

-- name: top-three-products-per-category
WITH ranked AS (
    SELECT
        c.name AS category, p.name AS product,
        SUM(oi.quantity * oi.unit_price * (1 - oi.discount / 100)) AS revenue,
        ROW_NUMBER() OVER (PARTITION BY c.id ORDER BY SUM(oi.quantity * oi.unit_price) DESC) AS rn
    FROM order_items oi
    JOIN products p ON p.id = oi.product_id AND p.tenant_id = oi.tenant_id
    JOIN categories c ON c.id = p.category_id AND c.tenant_id = p.tenant_id
    WHERE oi.tenant_id = $1
    GROUP BY c.id, c.name, p.name
)
SELECT category, product, revenue FROM ranked WHERE rn <= 3 ORDER BY category, rn;

-- name: sessionisation
WITH gaps AS (
    SELECT user_id, occurred_at,
           CASE WHEN occurred_at - LAG(occurred_at) OVER (PARTITION BY user_id ORDER BY occurred_at) > INTERVAL '30 minutes' THEN 1 ELSE 0 END AS is_new
    FROM events
    WHERE tenant_id = $1
), sessions AS (
    SELECT user_id, occurred_at, SUM(is_new) OVER (PARTITION BY user_id ORDER BY occurred_at ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS session_no
    FROM gaps
)
SELECT user_id, session_no, MIN(occurred_at) AS started, MAX(occurred_at) - MIN(occurred_at) AS duration, COUNT(*) AS events
FROM sessions
GROUP BY user_id, session_no
ORDER BY user_id, session_no;

-- name: gaps-and-islands
SELECT customer_id, MIN(d) AS from_day, MAX(d) AS to_day, COUNT(*) AS days
FROM (
    SELECT customer_id, d, d - (ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY d))::int AS grp
    FROM (SELECT DISTINCT customer_id, placed_at::date AS d FROM orders WHERE tenant_id = $1) days
) islands
GROUP BY customer_id, grp
HAVING COUNT(*) >= 1
ORDER BY days DESC, customer_id
LIMIT 20;

-- name: running-total-and-moving-average
SELECT day, revenue,
       SUM(revenue) OVER (ORDER BY day ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS running_total,
       AVG(revenue) OVER (ORDER BY day ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS ma7,
       SUM(revenue) OVER (ORDER BY day RANGE BETWEEN INTERVAL '7 days' PRECEDING AND CURRENT ROW EXCLUDE TIES) AS range7
FROM (SELECT placed_at::date AS day, SUM(total) AS revenue FROM orders WHERE tenant_id = $1 GROUP BY 1) d
ORDER BY day;

-- name: pivot-by-case
SELECT
    p.name,
    SUM(CASE WHEN EXTRACT(MONTH FROM o.placed_at) = 1 THEN oi.quantity ELSE 0 END) AS jan,
    SUM(CASE WHEN EXTRACT(MONTH FROM o.placed_at) = 2 THEN oi.quantity ELSE 0 END) AS feb,
    SUM(CASE EXTRACT(MONTH FROM o.placed_at) WHEN 3 THEN oi.quantity ELSE 0 END) AS mar
FROM order_items oi
INNER JOIN orders o ON oi.order_id = o.id AND oi.tenant_id = o.tenant_id
INNER JOIN products p ON oi.product_id = p.id AND oi.tenant_id = p.tenant_id
WHERE oi.tenant_id = $1
GROUP BY p.name
ORDER BY p.name;

-- name: calendar-with-generate-series
SELECT d::date AS day, COALESCE(COUNT(o.id), 0) AS orders, COALESCE(SUM(o.total), 0) AS revenue
FROM generate_series('2024-01-01'::date, '2024-03-31'::date, '1 day'::interval) AS d
LEFT JOIN orders o ON o.placed_at::date = d::date AND o.tenant_id = $1
GROUP BY d
ORDER BY d;

-- name: calendar-relative-to-today
SELECT months.month, COUNT(o.id) AS n
FROM generate_series(date_trunc('month', CURRENT_DATE) - INTERVAL '11 months', date_trunc('month', CURRENT_DATE), INTERVAL '1 month') AS months(month)
LEFT JOIN orders o ON date_trunc('month', o.placed_at) = months.month AND o.tenant_id = $1
GROUP BY months.month
ORDER BY months.month;

-- name: calendar-table-cross-join-statuses
SELECT c.month, s.status, COUNT(o.id) AS n
FROM (SELECT DISTINCT year, month FROM calendar WHERE year = 2024) c
CROSS JOIN (VALUES ('paid'), ('shipped'), ('refunded')) AS s(status)
LEFT JOIN orders o ON EXTRACT(YEAR FROM o.placed_at) = c.year AND EXTRACT(MONTH FROM o.placed_at) = c.month AND o.status = s.status AND o.tenant_id = $1
GROUP BY c.month, s.status
ORDER BY 1, 2;

-- name: rfm-segmentation
WITH rfm AS (
    SELECT customer_id,
           NTILE(5) OVER (ORDER BY MAX(placed_at)) AS r,
           NTILE(5) OVER (ORDER BY COUNT(*)) AS f,
           NTILE(5) OVER (ORDER BY SUM(total)) AS m
    FROM orders
    WHERE tenant_id = $1
    GROUP BY customer_id
)
SELECT CASE WHEN r >= 4 AND f >= 4 THEN 'champions' WHEN r <= 2 THEN 'at risk' ELSE 'regular' END AS segment, COUNT(*) AS customers, ROUND(AVG(r + f + m), 2) AS score
FROM rfm
GROUP BY segment
ORDER BY customers DESC;

-- name: median-and-percentiles
SELECT status,
       PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY total) AS median,
       PERCENTILE_DISC(ARRAY[0.25, 0.75, 0.95]) WITHIN GROUP (ORDER BY total) AS quartiles,
       MODE() WITHIN GROUP (ORDER BY currency) AS usual_currency
FROM orders
WHERE tenant_id = $1
GROUP BY status;

-- name: churn-per-month
SELECT DATE_TRUNC('month', cancelled_on)::date AS month, COUNT(*) AS churned, SUM(mrr) AS lost_mrr
FROM subscriptions
WHERE tenant_id = $1 AND cancelled_on IS NOT NULL
GROUP BY 1
ORDER BY 1;

-- name: mrr-per-month-from-spans
SELECT m.month::date, COALESCE(SUM(s.mrr), 0) AS mrr, COUNT(s.id) AS active
FROM generate_series(DATE '2024-01-01', DATE '2024-12-01', INTERVAL '1 month') AS m(month)
LEFT JOIN subscriptions s
  ON s.tenant_id = $1
 AND s.started_on <= (m.month + INTERVAL '1 month' - INTERVAL '1 day')::date
 AND (s.cancelled_on IS NULL OR s.cancelled_on >= m.month)
GROUP BY m.month
ORDER BY m.month;

-- name: yoy-comparison-with-self-join
WITH y AS (
    SELECT EXTRACT(YEAR FROM placed_at)::int AS year, EXTRACT(MONTH FROM placed_at)::int AS month, SUM(total) AS revenue
    FROM orders WHERE tenant_id = $1 GROUP BY 1, 2
)
SELECT cur.year, cur.month, cur.revenue, prev.revenue AS last_year
FROM y cur
LEFT JOIN y prev ON prev.year = cur.year - 1 AND prev.month = cur.month
ORDER BY cur.year, cur.month;

-- name: share-of-total
SELECT country, COUNT(*) AS customers, ROUND(COUNT(*) * 100.0 / SUM(COUNT(*)) OVER (), 2) AS pct
FROM customers
WHERE tenant_id = $1
GROUP BY country
ORDER BY customers DESC NULLS LAST;

-- name: pareto
SELECT *, SUM(revenue) OVER (ORDER BY revenue DESC, customer_id) / SUM(revenue) OVER () AS cumulative_share
FROM (SELECT customer_id, SUM(total) AS revenue FROM orders WHERE tenant_id = $1 GROUP BY customer_id) t
ORDER BY revenue DESC;

-- name: basket-pairs
SELECT LEAST(a.product_id, b.product_id) AS p1, GREATEST(a.product_id, b.product_id) AS p2, COUNT(*) AS together
FROM order_items a
JOIN order_items b ON a.order_id = b.order_id AND a.tenant_id = b.tenant_id AND a.product_id < b.product_id
WHERE a.tenant_id = $1
GROUP BY 1, 2
ORDER BY together DESC, p1, p2
LIMIT 10;

-- name: repeat-rate-by-bool-or
SELECT segment, AVG((n > 1)::int) AS repeat_rate, BOOL_OR(refunded) AS any_refund, EVERY(n > 0) AS all_bought
FROM (
    SELECT c.segment, c.id, COUNT(o.id) AS n, BOOL_OR(o.status = 'refunded') AS refunded
    FROM customers c LEFT JOIN orders o ON o.customer_id = c.id AND o.tenant_id = c.tenant_id
    WHERE c.tenant_id = $1
    GROUP BY c.segment, c.id
) x
GROUP BY segment;

-- name: revenue-in-euro-with-daily-rates
SELECT DATE_TRUNC('month', o.placed_at) AS month, SUM(o.total * r.rate) AS revenue_eur
FROM orders o
JOIN rates r ON r.currency = o.currency AND r.day = o.placed_at::date
WHERE o.tenant_id = $1
GROUP BY 1
ORDER BY 1;

-- name: rollup-with-labels
SELECT CASE WHEN GROUPING(cn.region) = 1 THEN 'all regions' ELSE cn.region END AS region, COALESCE(c.segment, 'all') AS segment, SUM(o.total) AS revenue
FROM orders o
JOIN customers c ON c.id = o.customer_id AND c.tenant_id = o.tenant_id
JOIN countries cn ON cn.code = c.country
WHERE o.tenant_id = $1
GROUP BY ROLLUP (cn.region, c.segment)
ORDER BY GROUPING(cn.region), 1, 2;

-- name: cube-and-distinct-sets
SELECT status, currency, coupon IS NOT NULL AS has_coupon, COUNT(*) FROM orders WHERE tenant_id = $1 GROUP BY DISTINCT CUBE (status, currency), ROLLUP (coupon IS NOT NULL) ORDER BY 1, 2, 3;

-- name: anomaly-by-z-score
WITH daily AS (SELECT placed_at::date AS day, SUM(total) AS revenue FROM orders WHERE tenant_id = $1 GROUP BY 1),
     stats AS (SELECT AVG(revenue) AS mean, STDDEV_SAMP(revenue) AS sd FROM daily)
SELECT d.day, d.revenue, (d.revenue - s.mean) / NULLIF(s.sd, 0) AS z
FROM daily d CROSS JOIN stats s
WHERE ABS(d.revenue - s.mean) > 1 * s.sd
ORDER BY d.day;

-- name: first-and-last-value
SELECT DISTINCT customer_id,
       FIRST_VALUE(total) OVER w AS first_total,
       LAST_VALUE(total) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS last_total,
       NTH_VALUE(total, 2) OVER (PARTITION BY customer_id ORDER BY placed_at ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS second_total
FROM orders
WHERE tenant_id = $1
WINDOW w AS (PARTITION BY customer_id ORDER BY placed_at)
ORDER BY customer_id;

-- name: time-to-first-response-percentiles
SELECT priority, COUNT(*) AS tickets,
       AVG(EXTRACT(EPOCH FROM (closed_at - opened_at)) / 3600.0) AS avg_hours,
       PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY EXTRACT(EPOCH FROM (closed_at - opened_at)) / 3600.0) AS p90_hours
FROM tickets
WHERE tenant_id = $1 AND closed_at IS NOT NULL
GROUP BY priority
ORDER BY priority DESC;

-- name: dashboard-of-scalars
SELECT
    (SELECT COUNT(*) FROM customers WHERE tenant_id = $1) AS customers,
    (SELECT COUNT(*) FROM orders WHERE tenant_id = $1 AND status = 'paid') AS paid_orders,
    (SELECT COALESCE(SUM(amount), 0) FROM payments WHERE tenant_id = $1 AND succeeded) AS collected,
    (SELECT name FROM tenants WHERE id = $1) AS company;

-- name: latest-order-per-customer-distinct-on
SELECT DISTINCT ON (o.customer_id) o.customer_id, c.name, o.id AS order_id, o.placed_at
FROM orders AS o
JOIN customers AS c ON o.customer_id = c.id AND c.tenant_id = $1
WHERE o.tenant_id = $1
ORDER BY o.customer_id, o.placed_at DESC;

-- name: customers-without-orders
SELECT c.id, c.name FROM customers c LEFT JOIN orders o ON c.id = o.customer_id AND o.tenant_id = $1 AND o.placed_at > now() - interval '90 days' WHERE c.tenant_id = $1 AND o.id IS NULL ORDER BY c.name;

-- name: full-outer-join-of-two-periods
WITH jan AS (SELECT customer_id, SUM(total) AS t FROM orders WHERE tenant_id = $1 AND placed_at >= '2024-01-01' AND placed_at < '2024-02-01' GROUP BY customer_id),
     feb AS (SELECT customer_id, SUM(total) AS t FROM orders WHERE tenant_id = $1 AND placed_at >= '2024-02-01' AND placed_at < '2024-03-01' GROUP BY customer_id)
SELECT COALESCE(jan.customer_id, feb.customer_id) AS customer_id, COALESCE(jan.t, 0) AS jan, COALESCE(feb.t, 0) AS feb
FROM jan FULL OUTER JOIN feb ON jan.customer_id = feb.customer_id
ORDER BY 1;

-- name: histogram-with-width-bucket
SELECT width_bucket(total, 0, 700, 10) AS bucket, MIN(total), MAX(total), COUNT(*), REPEAT('#', COUNT(*)::int) AS bar
FROM orders WHERE tenant_id = $1 GROUP BY bucket ORDER BY bucket;

-- name: weekday-heatmap
SELECT TO_CHAR(placed_at, 'Dy') AS weekday, DATE_PART('hour', placed_at) AS hour, COUNT(*) AS n FROM orders WHERE tenant_id = $1 GROUP BY TO_CHAR(placed_at, 'Dy'), DATE_PART('dow', placed_at), DATE_PART('hour', placed_at) ORDER BY DATE_PART('dow', placed_at), hour;

-- name: ticket-backlog-per-day
SELECT c.day, (SELECT COUNT(*) FROM tickets t WHERE t.tenant_id = $1 AND t.opened_at::date <= c.day AND (t.closed_at IS NULL OR t.closed_at::date > c.day)) AS open_tickets
FROM calendar c
WHERE c.day BETWEEN DATE '2024-02-01' AND DATE '2024-02-20' AND NOT c.is_weekend
ORDER BY c.day;

-- name: linear-trend
SELECT REGR_SLOPE(revenue, x) AS slope, REGR_INTERCEPT(revenue, x) AS intercept, CORR(revenue, x) AS r
FROM (SELECT EXTRACT(EPOCH FROM DATE_TRUNC('day', placed_at)) / 86400 AS x, SUM(total)::float8 AS revenue FROM orders WHERE tenant_id = $1 GROUP BY 1) d;

-- name: days-since-last-order-buckets
SELECT bucket, COUNT(*) AS customers FROM (
  SELECT CASE WHEN days <= 30 THEN '0-30' WHEN days <= 90 THEN '31-90' ELSE '90+' END AS bucket
  FROM (SELECT customer_id, (CURRENT_DATE - MAX(placed_at)::date) AS days FROM orders WHERE tenant_id = $1 GROUP BY customer_id) last_orders
) b GROUP BY bucket ORDER BY bucket;
