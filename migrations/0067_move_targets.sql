-- Which database an account is on its way to: whoever goes on with the move, or calls it off, must name the same.
alter table account_moves add column target text collate "C";
