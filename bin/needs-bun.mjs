throw new Error('Ralph as a library runs on Bun. From Node, drive it over RPC with the client in "ralph/client".');
