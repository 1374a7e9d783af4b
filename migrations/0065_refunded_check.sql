alter table disputes validate constraint disputes_refunded_check;
