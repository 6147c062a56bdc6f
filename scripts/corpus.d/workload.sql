-- The workload of the corpus. A block after "--@ X" runs on session X, statement by statement, and
-- the next block starts when it has ended. What is above "--! stream" is there before Debezium starts.

--@ A
INSERT INTO inv.accounts VALUES (1,'ann',100,0),(2,'bob',200,0),(3,'cyd',300,0),(4,'dan',400,0);
INSERT INTO inv.order_lines VALUES (9007199254740993,1,'s1',1,1.10),(9007199254740993,2,'s2',2,NULL),(-1,1,'s3',3,0);
INSERT INTO inv.emp VALUES (1,'boss',NULL,'c1'),(2,'e2',1,'c2');
INSERT INTO inv.toasty VALUES (1,1,inv.noise(1,3000),jsonb_build_object('k',inv.noise(2,3000)),inv.noise(4,3000)),(2,1,'small','{}','small');
INSERT INTO inv.trunc1 VALUES (1,'x'),(2,'y');
INSERT INTO inv.trunc2 VALUES (1,1);
INSERT INTO inv.textpk VALUES ('a',1),('A',2),('',3),('sp ace ',4),('q"uote',5),('😀',6);
INSERT INTO inv.uuidpk VALUES ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',1);
INSERT INTO inv.numpk VALUES (1.50,1),(2,2);
INSERT INTO inv.tspk VALUES ('2024-01-01 00:00:00.123456+00',1);
INSERT INTO inv.kinds VALUES
 (1,1,1,1,1,1.5,1.5,1.5,1.5,true,'plain','v','c','a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11','{"b": 1,  "a": [1, 2.50]}','{"a": [1, 2.50, 12345678901234567890.123]}','\x00ff10ab','2024-02-29','12:34:56.789012','12:34:56.789','2024-02-29 12:34:56.789012','2024-02-29 12:34:56.789','2024-02-29 12:34:56.789012+05:30',DEFAULT,DEFAULT),
 (2,-32768,-2147483648,-9223372036854775808,-123456789012345678901234567890.123456789,-99999999.99,-1234567890123456789012345678.0123456789,-3.4e38,-1.7976931348623157e308,false,'','','','00000000-0000-0000-0000-000000000000','""','null','','1900-01-01','00:00:00','00:00:00','1900-01-01 00:00:00','1900-01-01','1900-01-01 00:00:00+00','',0),
 (3,32767,2147483647,9223372036854775807,0.00000000000000000001,0.01,0.0000000001,1.17549435e-38,5e-324,NULL,E'quote '' dquote " back \\ tab \t nl \n cr \r end','10chars 10','ab  ','ffffffff-ffff-ffff-ffff-ffffffffffff','[]','"str"','\x5f','9999-12-31','23:59:59.999999','23:59:59.999','9999-12-31 23:59:59.999999','9999-12-31 23:59:59.999','9999-12-31 23:59:59.999999+00',NULL,1),
 (4,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,DEFAULT),
 (5,0,0,9007199254740993,100,10.00,0,0.1,0.1,true,'emoji 😀 é العربية 中文 𝒳','éééééééééé','😀😀','a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11','{"😀": "é"}','{"😀": "é", "nul": null, "t": true}',convert_to('😀','UTF8'),'1970-01-01','00:00:00.000001','00:00:00.001','1970-01-01 00:00:00','1970-01-01','1970-01-01 00:00:00+00','it is a default',2),
 (6,0,0,-9007199254740993,1e30,0.00,1,'NaN','NaN',false,'__debezium_unavailable_value','null','NULL','a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11','0','1.0','\x27225c','1969-12-31','12:00','12:00','1969-12-31 23:59:59.999999','1969-12-31 23:59:59.999','1969-12-31 23:59:59.999999+00','\N',3),
 (7,0,0,0,0,0,0,'Infinity','-Infinity',false,'true','1','1',NULL,'1','1',NULL,'2262-04-12','12:00','12:00','2262-04-11 23:47:16.854776','2262-04-12','2262-04-11 23:47:16.854776+00',NULL,4);
INSERT INTO inv."Quoted ""Tab"" Ünï;" VALUES (1,'p','c','s','pl','b','a','o','src',1,'sp','q','sq','ü','n','e','ab','$','sc','bs','sel','1d','a-b','a_b','63');
INSERT INTO inv."t23456789012345678901234567890123456789012345678901234567890_63" VALUES (1,'x');
INSERT INTO inv."a b" VALUES (1,'space');
INSERT INTO inv."a-b" VALUES (1,'dash');
INSERT INTO inv."a_b" VALUES (1,'underscore');

--! stream

-- Every kind again, so that the forms of the snapshot and of the stream can be compared.
--@ A
INSERT INTO inv.kinds SELECT id+100,si,ii,bi,n,n10_2,n38_10,f4,f8,b,tx,v10,c8,u,j,jb,by,d,t,t3,ts,ts3,tstz,df,nn FROM inv.kinds ORDER BY id;
UPDATE inv.kinds SET bi=bi-1, tx=NULL, df=NULL WHERE id=101;
INSERT INTO inv.kinds(id) VALUES (108);
DELETE FROM inv.kinds WHERE id=4;
UPDATE inv.accounts SET balance=balance WHERE id=1;

-- One transaction over three tables.
--@ A
BEGIN;
INSERT INTO inv.transfers(src,dst,amount,note) VALUES (1,2,10.50,'t1');
UPDATE inv.accounts SET balance=balance-10.50,ver=ver+1 WHERE id=1;
UPDATE inv.accounts SET balance=balance+10.50,ver=ver+1 WHERE id=2;
INSERT INTO inv.order_lines VALUES (5,1,'x',1,NULL);
COMMIT;

-- The same row several times in one transaction; insert and delete; delete and insert.
--@ A
BEGIN;
UPDATE inv.accounts SET balance=balance+1 WHERE id=3;
UPDATE inv.accounts SET balance=balance+1 WHERE id=3;
INSERT INTO inv.accounts VALUES (9,'tmp',0,0);
DELETE FROM inv.accounts WHERE id=9;
DELETE FROM inv.order_lines WHERE order_id=-1;
INSERT INTO inv.order_lines VALUES (-1,1,'again',4,NULL);
COMMIT;

-- Rollback and savepoints.
--@ A
BEGIN;
INSERT INTO inv.accounts VALUES (50,'rolledback',0,0);
ROLLBACK;
BEGIN;
INSERT INTO inv.accounts VALUES (51,'kept',0,0);
SAVEPOINT s;
INSERT INTO inv.accounts VALUES (52,'sp-rolledback',0,0);
UPDATE inv.accounts SET balance=-1;
ROLLBACK TO s;
INSERT INTO inv.accounts VALUES (53,'kept2',0,0);
SAVEPOINT s2;
UPDATE inv.accounts SET ver=9 WHERE id=51;
RELEASE s2;
COMMIT;

-- Transactions that overlap: B begins first and commits last.
--@ B
BEGIN;
UPDATE inv.accounts SET balance=balance+1000 WHERE id=1;
--@ C
BEGIN;
UPDATE inv.accounts SET balance=balance+2000 WHERE id=2;
--@ B
INSERT INTO inv.transfers(src,dst,amount,note) VALUES (3,4,1,'B');
--@ D
UPDATE inv.accounts SET balance=balance+3000 WHERE id=3;
--@ C
INSERT INTO inv.transfers(src,dst,amount,note) VALUES (4,3,2,'C');
COMMIT;
--@ B
UPDATE inv.accounts SET balance=balance+4000 WHERE id=2;
--@ D
UPDATE inv.accounts SET balance=balance+5000 WHERE id=4;
--@ B
COMMIT;

-- Prepared before, committed after a later one.
--@ B
BEGIN;
UPDATE inv.accounts SET ver=ver+1 WHERE id=4;
PREPARE TRANSACTION 'p1';
--@ C
UPDATE inv.accounts SET ver=ver+1 WHERE id=3;
--@ B
COMMIT PREPARED 'p1';

-- Changes of the primary key: simple with a cascade, composite, swap in one transaction, and others.
--@ A
UPDATE inv.accounts SET id=40 WHERE id=4;
UPDATE inv.order_lines SET line_no=line_no+10 WHERE order_id=9007199254740993;
BEGIN;
UPDATE inv.accounts SET id=1000 WHERE id=51;
UPDATE inv.accounts SET id=51 WHERE id=53;
UPDATE inv.accounts SET id=53 WHERE id=1000;
COMMIT;
UPDATE inv.textpk SET k='B' WHERE k='A';
UPDATE inv.textpk SET k='b"2', v=v+1 WHERE k='q"uote';
UPDATE inv.uuidpk SET k='b0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11';
UPDATE inv.numpk SET k=-3.25 WHERE k=2;
UPDATE inv.tspk SET k=k+'1 microsecond';

-- A reference to the own table, and a swap of unique values, both checked at the commit.
--@ A
BEGIN;
INSERT INTO inv.emp VALUES (4,'e4',3,'c4');
INSERT INTO inv.emp VALUES (3,'e3',1,'c3');
UPDATE inv.emp SET code=CASE id WHEN 1 THEN 'c2' WHEN 2 THEN 'c1' END WHERE id IN (1,2);
COMMIT;

-- Big values that do not change arrive as a placeholder, also over a change of the key.
--@ A
UPDATE inv.toasty SET n=2 WHERE id=1;
UPDATE inv.toasty SET big=inv.noise(5,3000) WHERE id=1;
UPDATE inv.toasty SET id=11 WHERE id=1;
UPDATE inv.toasty SET big=NULL WHERE id=11;
INSERT INTO inv.toasty VALUES (4,1,inv.noise(6,3000),NULL,'s');
DELETE FROM inv.toasty WHERE id=4;

-- Truncate, also in the middle of a transaction.
--@ A
TRUNCATE inv.trunc1, inv.trunc2;
BEGIN;
INSERT INTO inv.trunc1 VALUES (3,'pre');
TRUNCATE inv.trunc1 CASCADE;
INSERT INTO inv.trunc1 VALUES (4,'post');
COMMIT;

-- Odd names.
--@ A
INSERT INTO inv."Quoted ""Tab"" Ünï;"("Id","__proto__",payload,"a.b","новая колонка") VALUES (2,'{}','null','dot','значение');
UPDATE inv."Quoted ""Tab"" Ünï;" SET "before"='b2',"constructor"=NULL WHERE "Id"=1;
INSERT INTO inv."a b" VALUES (2,'space');
INSERT INTO inv."a-b" VALUES (2,'dash');
INSERT INTO inv."a_b" VALUES (2,'underscore');
DELETE FROM inv."a-b" WHERE id=1;
UPDATE inv."t23456789012345678901234567890123456789012345678901234567890_63" SET v='y';

-- A table that is made later.
--@ A
CREATE TABLE inv.late (id integer PRIMARY KEY, v text);
INSERT INTO inv.late VALUES (1,'created after the connector');

-- A transaction of many rows.
--@ A
INSERT INTO inv.bulk SELECT i, i*7 FROM generate_series(1,120) i;
BEGIN;
UPDATE inv.bulk SET v=v+1 WHERE id%25=0;
DELETE FROM inv.bulk WHERE id%50=1;
UPDATE inv.accounts SET ver=ver+1 WHERE id=2;
COMMIT;

-- The last record of all.
--@ A
INSERT INTO inv.late VALUES (999999,'END OF WORKLOAD');
