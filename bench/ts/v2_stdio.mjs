import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { echoServer } from './v2_echo.mjs';

serveStdio(echoServer);
