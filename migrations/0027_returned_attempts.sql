-- A try whose money was taken and could not stand on the invoice: it is given back, once.
alter table payment_attempts
  drop constraint payment_attempts_status_check,
  add constraint payment_attempts_status_check
    check (status in ('OPEN', 'PENDING', 'COMPLETED', 'DENIED', 'REVERSED', 'RETURNED'));
