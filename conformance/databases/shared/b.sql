-- Twin b: no other tenant; hidden columns and unlisted tables are different.
UPDATE app.customers SET ssn = 'other-' || (100 - id);
UPDATE app.orders SET internal_margin = 1000 - coalesce(internal_margin, 0);
UPDATE app.api_keys SET key_hash = 'other-' || id;
UPDATE app.audit_log SET entry = 'other-' || id;
ANALYZE;
