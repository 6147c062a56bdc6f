-- The source schema of the corpus: the tables that a sink must reproduce exactly.
CREATE SCHEMA inv;
CREATE TABLE inv.accounts (id integer PRIMARY KEY, owner text NOT NULL, balance numeric(14,2) NOT NULL, ver bigint NOT NULL DEFAULT 0);
CREATE TABLE inv.transfers (
  id bigserial PRIMARY KEY,
  src integer NOT NULL REFERENCES inv.accounts(id) ON UPDATE CASCADE,
  dst integer NOT NULL REFERENCES inv.accounts(id) ON UPDATE CASCADE,
  amount numeric(14,2) NOT NULL, note text);
CREATE TABLE inv.order_lines (order_id bigint, line_no integer, sku text NOT NULL, qty integer NOT NULL, price numeric(10,2), PRIMARY KEY (line_no, order_id));
CREATE TABLE inv.emp (
  id integer PRIMARY KEY, name text,
  manager_id integer REFERENCES inv.emp(id) DEFERRABLE INITIALLY DEFERRED,
  code text UNIQUE DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE inv.bulk (id integer PRIMARY KEY, v integer);
CREATE TABLE inv.textpk (k text PRIMARY KEY, v integer);
CREATE TABLE inv.uuidpk (k uuid PRIMARY KEY, v integer);
CREATE TABLE inv.numpk (k numeric(10,2) PRIMARY KEY, v integer);
CREATE TABLE inv.tspk (k timestamptz PRIMARY KEY, v integer);
CREATE TABLE inv.toasty (id integer PRIMARY KEY, n integer, big text, bigj jsonb, bign text NOT NULL);
CREATE TABLE inv.trunc1 (id integer PRIMARY KEY, v text);
CREATE TABLE inv.trunc2 (id integer PRIMARY KEY, p integer REFERENCES inv.trunc1(id));
-- One column of every common type.
CREATE TABLE inv.kinds (
  id integer PRIMARY KEY, si smallint, ii integer, bi bigint, n numeric, n10_2 numeric(10,2), n38_10 numeric(38,10),
  f4 real, f8 double precision, b boolean, tx text, v10 varchar(10), c8 char(8), u uuid, j json, jb jsonb, by bytea,
  d date, t time, t3 time(3), ts timestamp, ts3 timestamp(3), tstz timestamptz,
  df text DEFAULT 'it is a default', nn integer NOT NULL DEFAULT 7);
-- Odd names: quotes, letters beyond ASCII, words that a careless decoder trips over, 63 bytes, and
-- two tables whose topics have the same name.
CREATE TABLE inv."Quoted ""Tab"" Ünï;" (
  "Id" integer PRIMARY KEY, "__proto__" text, "constructor" text, "schema" text, payload text, "before" text, "after" text,
  op text, source text, ts_ms bigint, "sp ace" text, "q""uote" text, "sq'uote" text, "ünï" text, "новая колонка" text,
  "😀" text, "a.b" text, "$1" text, "semi;colon" text, "back\slash" text, "select" text, "1digit" text, "a-b" text, "a_b" text,
  "c23456789012345678901234567890123456789012345678901234567890_63" text);
CREATE TABLE inv."t23456789012345678901234567890123456789012345678901234567890_63" (id integer PRIMARY KEY, v text);
CREATE TABLE inv."a b" (id integer PRIMARY KEY, v text);
CREATE TABLE inv."a-b" (id integer PRIMARY KEY, v text);
CREATE TABLE inv."a_b" (id integer PRIMARY KEY, v text);
-- Text that does not compress, of n characters, always the same for a seed.
CREATE FUNCTION inv.noise(seed integer, n integer) RETURNS text LANGUAGE sql AS $$
  SELECT left(string_agg(translate(encode(sha256((seed||'-'||i)::bytea),'base64'),E'\n',''),'' ORDER BY i),n)
  FROM generate_series(1,n/40+1) i $$;
