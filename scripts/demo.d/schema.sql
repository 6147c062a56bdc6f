CREATE TABLE accounts (
  id bigint PRIMARY KEY,
  owner text NOT NULL,
  balance numeric(14,2) NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TABLE transfers (
  id bigint PRIMARY KEY,
  debit bigint NOT NULL,
  credit bigint NOT NULL,
  amount numeric(14,2) NOT NULL,
  note jsonb,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TABLE orders (
  id bigint PRIMARY KEY,
  customer text NOT NULL,
  status text NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TABLE order_lines (
  order_id bigint NOT NULL,
  line int NOT NULL,
  article text NOT NULL,
  quantity int NOT NULL,
  price numeric(10,2) NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (order_id, line)
);
INSERT INTO accounts (id, owner, balance)
  SELECT n, 'owner ' || n, 1000.00 FROM generate_series(1, 500) n;
