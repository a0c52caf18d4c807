-- The user and the database of the service, made when the server first starts. The user is no superuser, and makes neither
-- databases nor roles: the service needs no more than to make and use tables in its own database.
\set password `cat /run/secrets/DATABASE_PASSWORD`
create role sluice login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password :'password';
create database sluice;
revoke all on database sluice from public;
grant connect on database sluice to sluice;
\connect sluice
revoke all on schema public from public;
grant usage, create on schema public to sluice;
