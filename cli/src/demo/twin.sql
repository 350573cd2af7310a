-- Turns a copy of the demo's database into its twin: Acme's rows alone, and other values in everything that the policy
-- hides. A query whose answer is the same on both has seen nothing that it must not see.
DELETE FROM app.order_items WHERE tenant_id <> 'acme';
DELETE FROM app.orders WHERE tenant_id <> 'acme';
DELETE FROM app.customers WHERE tenant_id <> 'acme';
DELETE FROM app.tenants WHERE id <> 'acme';
UPDATE app.customers SET email = 'hidden', ssn = 'hidden';
UPDATE app.orders SET internal_margin = -1;
